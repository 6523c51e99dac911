"""Campaigns past one core: the shards of `arcfour bias` on Dask workers or as a Slurm array."""

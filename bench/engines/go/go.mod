module arcfour/bench/engine

go 1.19

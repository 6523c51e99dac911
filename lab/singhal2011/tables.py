TABLES = ()

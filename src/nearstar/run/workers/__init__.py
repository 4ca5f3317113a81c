"""Who trains: threads, processes, machines of a cluster."""

"""`hedline serve`: an HTTP server and a web page around a model."""

"""What a CouchDB server keeps, answers and writes."""

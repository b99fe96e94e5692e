"""A server that needs many seconds to load its data set, so that a test can ask it meanwhile."""

# Each key takes a tenth of a second (the delay is in microseconds), and clients are served after each key of a
# kilobyte or more. Compressed, many keys would be in one kilobyte of the file.
SLOW_TO_LOAD = {"key_load_delay": 100_000, "loading_process_events_interval_bytes": 1024, "rdbcompression": "no"}


def load_the_rest_at_once(connection):
    """For the end of the test, which need not wait for the slow load. A server that loads takes this command."""
    connection.call("CONFIG", "SET", "key-load-delay", "0")

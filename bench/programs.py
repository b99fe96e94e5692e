"""The programs whose figures bench/history keeps and bench/compare compares, each with fixed sizes."""

# Sizes are part of a figure: changing one starts a new series. bench/evict is left out, because its figures are times.
PROGRAMS = {
    "log": "--messages 200000 --rounds 7 --reads 2000",
    "groups": "--messages 200000 --worked 50000 --rounds 7",
    "frames": "--messages 200000 --rounds 5 --reads 500",
    "compress": "--messages 250000 --rounds 5",  # more than the cache of unpacked blocks holds
    "latest": "--messages 1000000 --tags 10000",
    "huge": "--messages 1000000",
    "channels": "--messages 50000 --worked 6400 --subscribers 50000 --rounds 7",
    "shards": "--recipients 200000 --routes 50000 --moved 20000 --rounds 7",
    "locks": "--pairs 20000 --waiting 2000 --rounds 9",
    "routes": "--filters 10000 --devices 10000 --changes 100 --matches 1000 --rounds 20 --peer-changes 2",
    "indexes": "--documents 50000 --many 100000 --facts 50000 --terms 100000 --rounds 5",
    "feeds": "--keys 10000 --writes 100000 --single 10000 --rounds 7",
    "load": "--records 300000 --rounds 9 --gigabytes 1",
    "holds": "--messages 1000000 --readers 5000 --groups 10000 --pending 300000 --letters 20000",
}

"""Golden hashes: the bytes that six small runs write, compared with those that are recorded.

    make golden                       makes the runs and compares their files with tests/golden/hashes.txt
    make golden ARGS=--write          records the files as they are

Each run is made by the commands of the package in one process. Answers of an API come from the scripted
server; the times in its journals are replaced, and the run is derived from them.
"""

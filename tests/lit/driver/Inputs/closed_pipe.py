"""closed_pipe.py COMMAND...: its standard output is a pipe that nobody reads; it may end by SIGPIPE or with status 3."""
import os
import signal
import subprocess
import sys

reader, writer = os.pipe()
os.close(reader)
done = subprocess.run(sys.argv[1:], stdout=writer, stderr=subprocess.PIPE, check=False)
quiet = done.returncode == -signal.SIGPIPE and not done.stderr
if not quiet and done.returncode != 3:
    sys.exit(f"status {done.returncode}, {done.stderr!r}")

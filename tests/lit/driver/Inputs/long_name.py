"""long_name.py CAKEC FILE FOLDER: compiles to a file whose name has 255 bytes."""
import os
import subprocess
import sys

cakec, file, folder = sys.argv[1:]
os.mkdir(folder)
sys.exit(subprocess.run([cakec, file, "--emit", "plan", "-o", os.path.join(folder, "a" * 255)], check=False).returncode)

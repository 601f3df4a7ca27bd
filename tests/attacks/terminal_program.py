"""A terminal program as small as can be, run under the name of one: a pseudo-terminal, a command in it, keys for it.

python terminal_program.py SECONDS KEYS COMMAND…     waits so long, then types the keys; prints what is shown
"""

import os
import pty
import select
import sys
import time

seconds, keys, command = float(sys.argv[1]), sys.argv[2], sys.argv[3:]
child, screen = pty.fork()
if child == 0:
    os.execvp(command[0], command)
begun, end = time.monotonic(), time.monotonic() + 60
while time.monotonic() < end:
    if keys and time.monotonic() - begun >= seconds:
        os.write(screen, keys.encode())
        keys = ""
    if select.select([screen], [], [], 0.1)[0]:
        try:
            shown = os.read(screen, 65536)
        except OSError:
            break
        if not shown:
            break
        os.write(1, shown)
os.waitpid(child, 0)

import ast
import sys
import time

sources = []
for line in iter(sys.stdin.readline, "\n"):
    with open(line.rstrip("\n"), "rb") as file:
        sources.append(file.read())
print("%d.%d.%d" % sys.version_info[:3], flush=True)
while sys.stdin.readline():
    start = time.process_time()
    for source in sources:
        try:
            ast.parse(source)
        except (SyntaxError, ValueError):
            pass
    print(time.process_time() - start, flush=True)

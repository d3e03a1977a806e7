"""Prints what CPython makes of the files named on standard input.

usage: dump.py parse|compile|text

parse and compile print one line for each file: "accepted" and the SHA-256 of
the dump of its tree with positions, or "refused" and the error. compile also
asks for the errors that are found when the tree is compiled. text prints the
dumps.
"""

import ast
import hashlib
import sys


def tree(path, mode):
    with open(path, "rb") as file:
        source = file.read()
    module = ast.parse(source)
    if mode == "compile":
        compile(source, path, "exec", dont_inherit=True)
    return ast.dump(module, include_attributes=True)


def main():
    mode = sys.argv[1]
    sys.setrecursionlimit(20000)
    sys.stdout.reconfigure(encoding="utf-8", errors="surrogatepass")
    for path in sys.stdin.read().splitlines():
        try:
            dump = tree(path, mode)
        except (SyntaxError, ValueError) as err:
            print("refused", " ".join(str(err).split()))
            continue
        if mode == "text":
            print(dump)
        else:
            print("accepted", hashlib.sha256(dump.encode("utf-8", "surrogatepass")).hexdigest())


main()

# Executes reproducers: reads a JSON list of programs, writes a JSON list of what
# each of them says is wrong, and of its log.
import json
import sys

answers = []
for source in json.load(sys.stdin):
    scope = {"__name__": "reproducer"}
    exec(compile(source, "reproducer.py", "exec"), scope)
    wrong = scope["replay"]()
    answers.append({"wrong": wrong, "log": scope["STAGE"].log})
json.dump(answers, sys.stdout)

"""Fails when a production of the grammar has no test that fires it, or none that breaks it off.

usage: rules.py RULE_TRACE GRAMMAR.xml

RULE_TRACE is the parser with bison's trace, GRAMMAR.xml bison's report.  A production is fired by a test input in which it is
reduced, and broken off by one with a syntax error right after one of its tokens but the last symbol: there the parser stands
in a state that has an item of the production with the dot inside.  (After a nonterminal the parser meets an error only where no
look at the next token was needed before, so a production without an inner token need not be broken off.)
"""

import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import inputs


def grammar(path):
    """The rules of 'path' as {number: text}, and {state: rules with the dot inside and behind a token}."""
    root = ElementTree.parse(path).getroot()
    tokens = {terminal.get("name") for terminal in root.iter("terminal")} - {"error"}
    rules, symbols = {}, {}
    for rule in root.iter("rule"):
        number = int(rule.get("number"))
        right = [symbol.text for symbol in rule.find("rhs") if symbol.tag == "symbol"]
        rules[number] = f"{rule.find('lhs').text}: {' '.join(right) or '%empty'}"
        symbols[number] = right
    inside = {}
    for state in root.iter("state"):
        if all(shift.get("type") != "shift" for shift in state.iter("transition")):
            continue  # it reduces without a look at the next token
        items = [(int(item.get("rule-number")), int(item.get("dot"))) for item in state.find("itemset")]
        inside[int(state.get("number"))] = {rule for rule, dot in items
                                            if 0 < dot < len(symbols[rule]) and symbols[rule][dot - 1] in tokens}
    return rules, inside


def trace(program, arguments):
    """Yields (rules reduced, states in which a syntax error was met) of each input."""
    ran = subprocess.run([program, *arguments], capture_output=True, text=True, errors="replace")
    if ran.returncode != 0:
        sys.exit(f"{program} failed:\n{ran.stderr[-2000:]}")
    for line in ran.stdout.splitlines():
        reduced, stuck = line.removeprefix("reduced").split(" stuck")
        yield {int(number) for number in reduced.split()}, {int(number) for number in stuck.split()}


def main(program, report):
    rules, inside = grammar(report)
    breakable = set().union(*inside.values())
    arguments = [str(path) for path in inputs.plans()]
    for test in inputs.lit_tests():
        for expression in test.expressions():
            arguments += ["-e", expression]
    fired, broken = set(), set()
    for reduced, stuck in trace(program, arguments):
        fired |= reduced
        for state in stuck:
            broken |= inside.get(state, set())
    missing = 0
    for number, text in rules.items():
        if number == 0 or text.startswith("$accept"):
            continue
        if number not in fired:
            print(f"no test fires rule {number}   {text}")
            missing += 1
        if number in breakable and not text.startswith("start:") and number not in broken:
            print(f"no test breaks off rule {number}   {text}")
            missing += 1
    print(f"{len(rules) - 1} productions, {missing} tests missing")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

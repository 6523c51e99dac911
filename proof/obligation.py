"""A proof obligation: assumptions, goals, and the solvers that check the goals."""

from dataclasses import dataclass, field

import bitwuzla
import z3

# Seconds after which z3 gives up: on all goals of an obligation together, and on one goal alone.
TOGETHER, ALONE = 5, 60


def all_of(conditions):
    """Returns the conjunction.

    A single condition stays as it is, since solvers differ on `And` with one part.
    """
    return z3.And(conditions) if len(conditions) > 1 else z3.BoolVal(True) if not conditions else conditions[0]


def any_of(conditions):
    return z3.Or(conditions) if len(conditions) > 1 else z3.BoolVal(False) if not conditions else conditions[0]


@dataclass
class Obligation:
    """One path from a cut point to the next."""

    name: str
    assumed: list
    goals: dict = field(default_factory=dict)  # the claims, by their texts
    trace: list = field(default_factory=list)  # addresses of the instructions on the path

    def question(self):
        """Returns the term that is true where a goal fails."""
        return z3.And(*self.assumed, z3.Not(all_of(list(self.goals.values()))))

    def smt2(self, goals=None):
        """Returns the SMT-LIB question whether a goal can fail: `unsat` is the proof."""
        solver = z3.Solver()
        solver.add(self.assumed)
        solver.add(z3.Not(all_of(list(self.goals.values()) if goals is None else goals)))
        return solver.to_smt2()

    def cover(self):
        """Returns the question whether the assumptions can be true. The answer must be `sat`."""
        return self.smt2([z3.BoolVal(False)])

    def failing(self, solver):
        """Returns the texts of the goals that fail, each asked alone."""
        return [says for says, goal in self.goals.items() if solver(self.smt2([goal])) != "unsat"]

    def refuted(self, says):
        """Returns true if a state exists in which the goal of this text fails."""
        return ask_bitwuzla(self.smt2([self.goals[says]])) == "sat"

    def counterexample(self, wishes=()):
        """Returns z3's model of a state in which a goal fails, or None.

        Drops only the wishes that contradict it.
        """
        solver = z3.Solver()
        solver.add(self.assumed)
        solver.add(z3.Not(all_of(list(self.goals.values()))))
        wishes = {f"wish {n}": wish for n, wish in enumerate(wishes)}
        for name, wish in wishes.items():
            solver.add(z3.Implies(z3.Bool(name), wish))
        while solver.check(*map(z3.Bool, wishes)) != z3.sat:
            core = [str(name) for name in solver.unsat_core()]
            if not core:
                return None
            for name in core:
                del wishes[name]
        return solver.model()


def ask_bitwuzla(text):
    options = bitwuzla.Options()
    parser = bitwuzla.Parser(bitwuzla.TermManager(), options)
    parser.parse(text.replace("(check-sat)", ""), True, False)
    return str(parser.bitwuzla().check_sat()).rpartition(".")[2].lower()


def ask_z3(text, seconds=ALONE):
    solver = z3.SolverFor("QF_ABV")
    solver.set("timeout", 1000 * seconds)
    solver.from_string(text)
    return str(solver.check())


SOLVERS = {"bitwuzla": ask_bitwuzla, "z3": ask_z3}


def by_bitwuzla(obligation):
    return ask_bitwuzla(obligation.smt2())


def by_z3(obligation):
    """Asks about all goals at once. If this takes too long, asks about each goal alone.

    `unknown` means that z3 gave up on a goal. The goals after that one are not asked.
    """
    answer = ask_z3(obligation.smt2(), TOGETHER)
    if answer != "unknown":
        return answer
    answers = (ask_z3(obligation.smt2([goal])) for goal in obligation.goals.values())
    return next((answer for answer in answers if answer != "unsat"), "unsat")


class Answers:
    """The answers of one solver. A question that two kernels share is asked once."""

    def __init__(self, ask):
        self.ask, self.known = ask, {}

    def __call__(self, obligation):
        question = obligation.question()
        if question.get_id() not in self.known:
            # z3 gives equal terms the same number while one of them is alive.
            self.known[question.get_id()] = question, self.ask(obligation)
        return self.known[question.get_id()][1]


def solvers(both):
    """Returns the solvers of one command by name: Bitwuzla alone, or z3 too."""
    return {"bitwuzla": Answers(by_bitwuzla)} | ({"z3": Answers(by_z3)} if both else {})

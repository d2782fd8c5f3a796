"""Run public optimisers on the problems of bench_optimizers, at equal budgets.

Run by bench/optimizers.sh in the peers' virtual environment. Every problem is asked over a pipe
(`bench_optimizers serve`), so that it is defined in one place and the share of the true front's
hypervolume is measured by one program. Prints lines `problem,method,seed,evaluations,share,us`.
Every evaluation counts, infeasible or repeated ones too.
"""
import argparse
import json
import subprocess
import sys
import time
import warnings

import numpy as np


class Problem:
    """A problem behind the pipe: asked by indices, as scantle's own optimisers ask."""

    def __init__(self, bench, name, marks):
        self.pipe = subprocess.Popen([bench, "serve", name], stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE, text=True)
        head = json.loads(self.pipe.stdout.readline())
        self.name = head["name"]
        self.m, self.k = head["objectives"], head["constraints"]
        self.parameters = [(p["values"], p["categorical"]) for p in head["parameters"]]
        self.marks = marks
        self.reset()

    def close(self):
        self.pipe.stdin.close()
        self.pipe.wait()

    def reset(self):
        self.pipe.stdin.write("reset\n")
        self.count, self.shares = 0, []

    def ask(self, line):
        self.pipe.stdin.write(line + "\n")
        self.pipe.stdin.flush()
        return self.pipe.stdout.readline().split()

    def evaluate(self, point):
        """Objectives and constraints (at most 0: kept) of a point; none past the last mark."""
        words = self.ask(" ".join(str(int(i)) for i in point))
        f = [float(w) for w in words[1 : 1 + self.m]]
        g = [float(w) for w in words[1 + self.m :]]
        self.count += 1
        if self.count in self.marks:
            self.shares.append(float(self.ask("share")[0]))
        return f, g

    @property
    def done(self):
        return self.count >= self.marks[-1]


class Enough(Exception):
    """The budget is spent."""


# ---- random: the floor ----


def run_random(problem, seed):
    rng = np.random.default_rng(seed)
    seconds = 0.0
    while not problem.done:
        start = time.perf_counter()
        point = [rng.integers(n) for n, _ in problem.parameters]
        seconds += time.perf_counter() - start
        problem.evaluate(point)
    return seconds


# ---- Optuna ----


def run_optuna(sampler_of):
    def run(problem, seed):
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)

        def constraints(trial):
            return trial.user_attrs["g"]

        study = optuna.create_study(directions=["minimize"] * problem.m,
                                    sampler=sampler_of(optuna.samplers, seed,
                                                       constraints if problem.k else None))
        seconds = 0.0
        while not problem.done:
            start = time.perf_counter()
            trial = study.ask()
            point = [
                trial.suggest_categorical(f"x{i}", range(n)) if categorical
                else trial.suggest_int(f"x{i}", 0, n - 1)
                for i, (n, categorical) in enumerate(problem.parameters)
            ]
            seconds += time.perf_counter() - start
            f, g = problem.evaluate(point)
            start = time.perf_counter()
            trial.set_user_attr("g", g)
            study.tell(trial, f)
            seconds += time.perf_counter() - start
        return seconds

    return run


def tpe(samplers, seed, constraints):
    return samplers.TPESampler(seed=seed, multivariate=True, constraints_func=constraints)


def nsga2(samplers, seed, constraints):
    return samplers.NSGAIISampler(seed=seed, constraints_func=constraints)


# ---- pymoo ----


def run_pymoo(problem, seed):
    from pymoo.algorithms.moo.nsga2 import NSGA2, RankAndCrowdingSurvival
    from pymoo.core.mixed import MixedVariableGA
    from pymoo.core.problem import ElementwiseProblem
    from pymoo.core.variable import Choice, Integer
    from pymoo.operators.crossover.sbx import SBX
    from pymoo.operators.mutation.pm import PM
    from pymoo.operators.repair.rounding import RoundingRepair
    from pymoo.operators.sampling.rnd import IntegerRandomSampling
    from pymoo.optimize import minimize

    mixed = any(categorical for _, categorical in problem.parameters)
    names = [f"x{i}" for i in range(len(problem.parameters))]
    inside = [0.0]

    class Grid(ElementwiseProblem):
        def __init__(self):
            if mixed:
                super().__init__(n_obj=problem.m, n_ieq_constr=problem.k, vars={
                    name: Choice(options=list(range(n))) if categorical
                    else Integer(bounds=(0, n - 1))
                    for name, (n, categorical) in zip(names, problem.parameters)
                })
            else:
                super().__init__(n_var=len(names), n_obj=problem.m, n_ieq_constr=problem.k, xl=0,
                                 xu=np.array([n - 1 for n, _ in problem.parameters]), vtype=int)

        def _evaluate(self, x, out, *args, **kwargs):
            if problem.done:  # inside the last generation
                raise Enough
            start = time.perf_counter()
            out["F"], g = problem.evaluate([x[n] for n in names] if mixed else x)
            if problem.k:
                out["G"] = g
            inside[0] += time.perf_counter() - start

    # 50 points, as Optuna's; the operators are those of the documentation for integers and for
    # mixed variables
    if mixed:
        algorithm = MixedVariableGA(pop_size=50, survival=RankAndCrowdingSurvival())
    else:
        algorithm = NSGA2(pop_size=50, sampling=IntegerRandomSampling(),
                          crossover=SBX(prob=0.9, eta=15, vtype=float, repair=RoundingRepair()),
                          mutation=PM(eta=20, vtype=float, repair=RoundingRepair()),
                          eliminate_duplicates=True)
    start = time.perf_counter()
    try:
        minimize(Grid(), algorithm, ("n_gen", 1000), seed=seed, verbose=False)
    except Enough:
        pass
    while not problem.done:  # no new point in a small space: the share stays
        problem.count += 1
        if problem.count in problem.marks:
            problem.shares.append(float(problem.ask("share")[0]))
    return time.perf_counter() - start - inside[0]


METHODS = {
    "peer-random": run_random,
    "optuna-tpe": run_optuna(tpe),
    "optuna-nsga2": run_optuna(nsga2),
    "pymoo-nsga2": run_pymoo,
}


def finished(path, marks):
    """Problem, method and seed of the runs that a file has whole."""
    seen = {}
    try:
        with open(path, encoding="utf-8") as f:
            for line in f:
                problem, method, seed, evaluations, *_ = line.split(",")
                seen.setdefault((problem, method, int(seed)), set()).add(int(evaluations))
    except FileNotFoundError:
        pass
    return {key for key, at in seen.items() if at >= set(marks)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bench", help="path of bench_optimizers")
    parser.add_argument("out", help="file that lines are appended to; runs it has are not repeated")
    parser.add_argument("--problem", action="append", help="a test function or a study file")
    parser.add_argument("--method", action="append", choices=METHODS)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--at", default="50,100,200,500", help="evaluations")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    marks = [int(n) for n in args.at.split(",")]
    known = finished(args.out, marks)
    with open(args.out, "a", encoding="utf-8") as out:
        for name in args.problem:
            problem = Problem(args.bench, name, marks)
            for method in args.method or METHODS:
                for seed in range(1, args.seeds + 1):
                    if (problem.name, method, seed) in known:
                        continue
                    problem.reset()
                    seconds = METHODS[method](problem, seed)
                    for mark, share in zip(marks, problem.shares):
                        print(problem.name, method, seed, mark, f"{share:.6f}",
                              f"{1e6 * seconds / marks[-1]:.3f}", sep=",", file=out)
                    out.flush()
                print(f"{problem.name}: {method} done", file=sys.stderr, flush=True)
            problem.close()


if __name__ == "__main__":
    main()

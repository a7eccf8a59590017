"""Random objects of every kind of Arkouda's, many in a file, by the generator of arkouda.py.

    arkouda_kinds.py FILES SEED

Writes FILES files, or sets, of each of the families below, and arkouda.json as arkouda.py does, with
names of their objects that begin with their family.
"""

import json
import random
import sys

import arkouda
import numpy as np


def of_family(objects):
    families = {"columns": {}, "groupby": {}, "index": {}, "dataframe": {}}
    for name, thing in objects.items():
        family = {arkouda.GroupBy: "groupby", arkouda.Levels: "index",
                  arkouda.DataFrame: "dataframe"}.get(type(thing), "columns")  # fmt: skip
        families[family][name] = thing
    return families


def views(rng, n):
    values = rng.integers(-9, 9, (n, int(rng.integers(1, 4)), 2))
    return {"cube": arkouda.View(values), "table": arkouda.View(values.reshape(n, -1) / 8),
            "truth": arkouda.View(values.reshape(n, -1) % 2 == 0),
            "wide": arkouda.BigView([int(v + 9) ** 40 for v in values.ravel()], values.shape, 3),
            "wide_line": arkouda.BigView([int(v + 9) ** 20 for v in values[:, 0, 0]], (n,), 2),
            }  # fmt: skip


def main(n_files, seed):
    rng = random.Random(seed)
    for i in range(n_files):
        n_rows = rng.choice([0, 1, 2, 3, 5, 21, 100])
        n_locales = rng.choice([0, 1, 2, 3, 7])
        families = of_family(arkouda.objects_of(n_rows, rng.randrange(2**31)))
        if n_rows > 0:
            families["arrayview"] = views(np.random.default_rng(i), n_rows)
        for family, objects in families.items():
            name = f"{family}{i}"
            if n_locales > 0:
                arkouda.save_parts(name, objects, n_locales)
            else:
                arkouda.save_one(f"{name}.h5", objects)
    with open("arkouda.json", "w", encoding="utf-8") as file:
        json.dump(arkouda.MADE, file)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))

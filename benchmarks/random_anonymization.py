"""How many people of Adult are linked by likelihood; takes the folder of the data set."""

import sys
import time

import verikit as vk
from verikit.datasets import adult
from verikit.protector import correct_links

QI = (
    "age", "workclass", "education", "marital-status", "relationship", "race", "sex",
    "native-country", "salary-class",
)  # fmt: skip


def people(folder):
    """The ten attributes of the paper's experiments, the occupation sensitive."""
    read = adult(folder)
    columns = [vk.Column(name, kind=read.schema[name].kind) for name in QI]
    columns.append(vk.Column("occupation", "sensitive", "nominal"))
    return vk.Microdata(read.frame[[*QI, "occupation"]], vk.Schema(tuple(columns)))


def main(folder):
    """Link by all ten attributes in three seeds, by the nine quasi-identifiers in one."""
    data = people(folder)
    for changed in (1, 2, 3, 4):
        for seed, names in ((1, None), (2, None), (3, None), (1, QI)):
            release, key = vk.mask.randomize(
                data, changed=changed, probabilities="equal", seed=seed
            )
            start = time.perf_counter()
            links = vk.link(data, release, attack="likelihood", attributes=names)
            took = time.perf_counter() - start
            found = correct_links(links, key)
            print(changed, seed, len(names or data.schema), found.count, f"{took:.1f} s")


if __name__ == "__main__":
    main(sys.argv[1])

"""Writes a corpus of support tickets with titles (`lead`, `headline`), made up from parts: the tutorial's data.

    python examples/make_tickets.py tickets.csv --pairs 4000

The same seed gives the same file.
"""

from __future__ import annotations

import argparse
import csv
import random

PRODUCTS = (
    "invoice export,mobile app,payroll module,search page,calendar sync,report builder,login page,mail gateway".split(
        ","
    )
)
PLACES = "Leipzig,Porto,Oslo,Tampere,Graz,Lyon,Cork,Utrecht,Malmo,Bergen".split(",")
PEOPLE = "accounting,the sales team,our warehouse,the night shift,the front desk,human resources,the legal team".split(
    ","
)
VERSIONS = [f"{major}.{minor}" for major in range(2, 6) for minor in range(10)]
OPENERS = ["Hello, ", "Hi team, ", "Since this morning ", "As of version {version}, ", "Good afternoon, ", ""]
CLOSERS = [
    "Please help soon.",
    "We have tried restarting.",
    "This blocks our month-end close.",
    "Thanks in advance.",
    "",
]

PROBLEMS = [
    ("the {product} crashes whenever {people} in {place} open a file larger than {size} MB", "{product} crashes on files over {size} MB"),
    ("{people} in {place} cannot use the {product} because it rejects every password", "{product} rejects passwords in {place}"),
    ("the {product} has become very slow for {people}, taking about {size} seconds to load", "{product} slow, {size} seconds to load"),
    ("the {product} shows the wrong time zone for everybody in {place}", "wrong time zone in {product} for {place}"),
    ("we would like to add {size} more user accounts to the {product} for {people}", "request: {size} more accounts for {product}"),
    ("after the update to version {version} the {product} no longer prints labels in {place}", "{product} stops printing labels after {version} update"),
    ("{people} in {place} see duplicate entries in the {product} after every import", "duplicate entries in {product} after import"),
    ("the {product} sends {size} copies of the same message to {people}", "{product} sends {size} copies of each message"),
]  # fmt: skip


def ticket(rng: random.Random) -> tuple[str, str]:
    """One ticket body and its title."""
    parts = {
        "product": rng.choice(PRODUCTS),
        "place": rng.choice(PLACES),
        "people": rng.choice(PEOPLE),
        "version": rng.choice(VERSIONS),
        "size": str(rng.randint(2, 90)),
    }
    body, title = rng.choice(PROBLEMS)
    text = (rng.choice(OPENERS) + body).format(**parts)
    lead = f"{text[0].upper()}{text[1:]}. {rng.choice(CLOSERS)}".strip()
    headline = title.format(**parts)
    return lead, headline[0].upper() + headline[1:]


def main() -> None:
    """Write the CSV file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("--pairs", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    with open(options.file, "w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out)
        writer.writerow(["lead", "headline"])
        writer.writerows(ticket(rng) for _ in range(options.pairs))


if __name__ == "__main__":
    main()

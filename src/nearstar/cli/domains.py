"""``nearstar domains``: the built-in domains, and what is in a domain."""

from __future__ import annotations

import json
from dataclasses import dataclass

from nearstar.fit import converters as to
from nearstar.fit.options import argument, option
from nearstar.fit.resolve import load_domain
from nearstar.language.domain import Domain
from nearstar.util.errors import NearstarError


@dataclass(frozen=True, kw_only=True)
class Domains:
    """List the built-in domains, or describe one.

    examples:
      nearstar domains crim13
      nearstar domains crim13 --toml > mine.toml
    """

    name: str | None = argument("a built-in domain or a TOML file", optional=True)
    toml: bool = option(
        to.switch, "print it as a TOML file, to begin one", default=False, group="output"
    )
    json: bool = option(to.switch, "print it as JSON", default=False)

    def __call__(self) -> int:
        name = self.name
        if name is None:
            known = {each: Domain.built_in(each) for each in Domain.built_in_names()}
            if self.json:
                print(json.dumps(sorted(known)))
            else:
                for each, domain in known.items():
                    groups = ", ".join(group.name for group in domain.groups)
                    print(f"{each:12} {len(domain.features):3} features; groups: {groups}")
            return 0
        domain = load_domain(name)
        if self.json:
            print(json.dumps(domain.to_dict(), indent=1))
        elif self.toml:
            if name not in Domain.built_in_names():
                raise NearstarError(
                    f"--toml prints built-in domains; {name} is a TOML file already"
                )
            print(Domain.built_in_text(name), end="")
        else:
            print(described(domain))
        return 0


def described(domain: Domain) -> str:
    """A domain in words."""
    lines = [f"{domain.name}: {len(domain.features)} features", "", "groups:"]
    for group in domain.groups:
        columns = ", ".join(domain.features[column] for column in group.columns)
        lines.append(f"  {group.name}: {columns}")
    lines += ["", "rules:"]
    for kind, words in (
        ("sequences", "sequence → sequence"),
        ("summaries", "sequence → vector"),
        ("vectors", "vector → vector"),
    ):
        lines.append(f"  {words}: {', '.join(getattr(domain, kind))}")
    if domain.derived:
        lines += ["", "derived:"]
        for name, text in domain.derived.items():
            lines.append(f"  {text}" if name == text else f"  {name} = {text}")
    return "\n".join(lines)

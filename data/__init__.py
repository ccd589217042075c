"""Tables printed in the papers, each a CSV file beside a TOML file that describes it."""

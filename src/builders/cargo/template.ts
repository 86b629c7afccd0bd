/** What `cargo.new` writes: a package that builds, passes its test and shows the parts that most plugins need. */

const MANIFEST = (name: string) => `[package]
name = "${name}"
version = "0.1.0"
edition = "2021"

[dependencies]
sausage-plugin = "0.1"

# Small files start faster: the page compiles every byte.
[profile.release]
opt-level = "z"
lto = true
codegen-units = 1
panic = "abort"
strip = true
`;

const MAIN = (name: string, imports: readonly string[]) => `/// Greets people and counts them.
#[sausage_plugin::plugin(grace = 2)]
mod plugin {
    use sausage_plugin::{lock, Result};
${imports.map((plugin) => `\n    sausage_plugin::import!("${plugin}");\n`).join('')}
    const FILE: &str = "/state/${name}/count.txt";

    /// Says hello, and how often it did so before.
    pub fn greet(
        /// Who is greeted.
        name: String,
    ) -> Result<String> {
        let before = lock(FILE, || {
            let before: u64 = std::fs::read_to_string(FILE).map_or(Ok(0), |text| text.trim().parse())?;
            std::fs::create_dir_all("/state/${name}")?;
            std::fs::write(FILE, (before + 1).to_string())?;
            Ok(before)
        })?;
        Ok(format!("Hello {name}, after {before} others."))
    }
}

// Each test runs in a process and an empty world of its own.
#[cfg(test)]
mod tests {
    use super::plugin;

    #[test]
    fn counts_whom_it_greets() {
        assert_eq!(plugin::greet("Ada".into()).unwrap(), "Hello Ada, after 0 others.");
        assert_eq!(plugin::greet("Max".into()).unwrap(), "Hello Max, after 1 others.");
    }
}
`;

/** The files by their paths below `source/`. */
export const template = (name: string, imports: readonly string[] = []): Record<string, string> => ({
  'Cargo.toml': MANIFEST(name),
  'src/main.rs': MAIN(name, imports),
});

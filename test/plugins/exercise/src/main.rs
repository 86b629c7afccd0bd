//! A command for the tests of files and of WASI 0.2: `exercise <what> [argument …]`. It prints one line of JSON.

mod bench;
mod posix;
mod sequence;
mod streams;
mod whole;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let args: Vec<&str> = args.iter().skip(1).map(String::as_str).collect();
    let outcome = match args.as_slice() {
        ["clock"] => bench::clock(),
        ["blocks", path, count] => bench::blocks(path, number(count)),
        ["streamed", path, count] => bench::streams(path, number(count)),
        ["pages", path, count] => bench::pages(path, number(count)),
        ["stat", path, count] => bench::stat(path, number(count)),
        ["create", folder, count] => bench::create(folder, number(count)),
        ["list", folder, count] => bench::list(folder, number(count)),
        ["large", path, mebibytes] => whole::large(path, number(mebibytes)),
        ["contract", folder] => posix::contract(folder),
        ["tree", folder] => posix::tree(folder),
        ["write", folder, first] => sequence::write(folder, number(first)),
        ["check", folder] => sequence::check(folder),
        ["poll"] => streams::poll(),
        ["wait", milliseconds] => streams::wait(number(milliseconds)),
        ["stdin"] => streams::stdin(),
        ["streams", folder] => streams::files(folder),
        ["random"] => whole::random(),
        ["surroundings"] => whole::surroundings(),
        _ => Err(format!("what is {args:?}?").into()),
    };
    match outcome {
        Ok(line) => println!("{line}"),
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(1);
        }
    }
}

/// A line of JSON, or why there is none.
pub type Outcome = Result<String, Box<dyn std::error::Error>>;

fn number(text: &str) -> u64 {
    text.parse().unwrap_or_else(|_| panic!("{text} is no number"))
}

/// Numbers that look random and are the same in each run.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

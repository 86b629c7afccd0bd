//! Names and texts in the form that Rust wants them.

use std::collections::HashSet;

const KEYWORDS: &str =
    "as async await break const continue dyn else enum extern false fn for gen if impl in let loop match mod move mut \
     pub ref return static struct trait true type unsafe use where while abstract become box do final macro override \
     priv try typeof unsized virtual yield";

/// Words that not even a raw identifier can be.
const NEVER: &str = "crate self super Self _";

fn listed(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|known| known == word)
}

/// The words of a name: `fooBar`, `foo-bar` and `foo.bar` are two.
fn words(name: &str) -> Vec<String> {
    let small = |at: Option<&char>| at.is_some_and(|c| c.is_ascii_lowercase());
    let large = |at: Option<&char>| at.is_some_and(|c| c.is_ascii_uppercase());
    let characters: Vec<char> = name.chars().collect();
    let mut words = vec![String::new()];
    for (at, &character) in characters.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| characters.get(at));
        if !character.is_ascii_alphanumeric() {
            words.push(String::new());
            continue;
        }
        let after_small = small(before) || before.is_some_and(char::is_ascii_digit);
        let last_capital = large(before) && small(characters.get(at + 1));
        if character.is_ascii_uppercase() && (after_small || last_capital) {
            words.push(String::new());
        }
        words.last_mut().unwrap().push(character);
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The name of a function, field or module.
pub fn snake_case(name: &str) -> String {
    let snake = words(name).join("_").to_ascii_lowercase();
    let identifier = match snake.as_bytes().first() {
        None => "unnamed".to_string(),
        Some(digit) if digit.is_ascii_digit() => format!("_{snake}"),
        Some(_) => snake,
    };
    if listed(NEVER, &identifier) {
        return format!("{identifier}_");
    }
    if listed(KEYWORDS, &identifier) {
        format!("r#{identifier}")
    } else {
        identifier
    }
}

/// The name of a type or variant.
pub fn pascal_case(name: &str) -> String {
    let capital = |word: &String| format!("{}{}", word[..1].to_ascii_uppercase(), &word[1..]);
    let pascal: String = words(name).iter().map(capital).collect();
    let identifier = match pascal.as_bytes().first() {
        None => "Unnamed".to_string(),
        Some(digit) if digit.is_ascii_digit() => format!("N{pascal}"),
        Some(_) => pascal,
    };
    if listed(NEVER, &identifier) {
        format!("{identifier}_")
    } else {
        identifier
    }
}

/// Hands out names of one kind, each once: the second `Note` is `Note2`.
#[derive(Default)]
pub struct Namespace(HashSet<String>);

impl Namespace {
    pub fn new(reserved: &str) -> Self {
        Namespace(reserved.split_whitespace().map(str::to_string).collect())
    }

    pub fn take(&mut self, name: String) -> String {
        let numbered = |count: usize| match name.as_bytes().last() {
            Some(digit) if digit.is_ascii_digit() => format!("{name}_{count}"),
            _ => format!("{}{count}", name.strip_prefix("r#").unwrap_or(&name)),
        };
        let mut free = name.clone();
        let mut count = 2;
        while !self.0.insert(free.clone()) {
            free = numbered(count);
            count += 1;
        }
        free
    }
}

/// Format characters (Unicode's Cf): first and last of each run.
const FORMAT: [(u32, u32); 21] = [
    (0xad, 0xad),
    (0x600, 0x605),
    (0x61c, 0x61c),
    (0x6dd, 0x6dd),
    (0x70f, 0x70f),
    (0x890, 0x891),
    (0x8e2, 0x8e2),
    (0x180e, 0x180e),
    (0x200b, 0x200f),
    (0x202a, 0x202e),
    (0x2060, 0x2064),
    (0x2066, 0x206f),
    (0xfeff, 0xfeff),
    (0xfff9, 0xfffb),
    (0x110bd, 0x110bd),
    (0x110cd, 0x110cd),
    (0x13430, 0x1343f),
    (0x1bca0, 0x1bca3),
    (0x1d173, 0x1d17a),
    (0xe0001, 0xe0001),
    (0xe0020, 0xe007f),
];

/// Characters that are not seen, or that change the direction of what is seen: rustc refuses the latter in comments.
fn is_unseen(character: char) -> bool {
    let code = character as u32;
    character.is_control()
        || matches!(code, 0x2028 | 0x2029)
        || FORMAT.iter().any(|&(first, last)| (first..=last).contains(&code))
}

/// A string literal.
pub fn literal(text: &str) -> String {
    let mut literal = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => literal.extend(['\\', character]),
            '\n' => literal.push_str("\\n"),
            unseen if is_unseen(unseen) => literal.push_str(&format!("\\u{{{:x}}}", unseen as u32)),
            plain => literal.push(plain),
        }
    }
    literal.push('"');
    literal
}

/// Doc comments, a paragraph for each text; as attributes where a comment cannot hold the text unchanged.
pub fn docs(texts: &[String], indent: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for text in texts {
        if !text.is_empty() && !parts.contains(&text.as_str()) {
            parts.push(text);
        }
    }
    let text = parts.join("\n\n");
    if text.is_empty() {
        return text;
    }
    if text
        .chars()
        .any(|character| !matches!(character, '\n' | '\t') && is_unseen(character))
    {
        return format!("{indent}#[doc = {}]\n", literal(&text));
    }
    let line = |line: &str| format!("{indent}///{}{line}\n", if line.is_empty() { "" } else { " " });
    text.split('\n').map(line).collect()
}

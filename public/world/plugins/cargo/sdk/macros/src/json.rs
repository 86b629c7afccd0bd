//! JSON as the host reads it: objects keep the order that JavaScript gives them, and numbers keep their value exactly
//! enough to choose an integer type.

use std::iter::Peekable;
use std::str::Chars;

#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Json>),
    Object(Object),
}

/// A number that is an integer is one here too, at most `i128::MAX` and at least `i128::MIN`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    Integer(i128),
    Float(f64),
}

/// Members in order, each name once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Object(Vec<(String, Json)>);

impl Object {
    pub fn get(&self, name: &str) -> Option<&Json> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &Json)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    pub fn set(&mut self, name: &str, value: Json) {
        match self.0.iter_mut().find(|(known, _)| known == name) {
            Some(member) => member.1 = value,
            None => self.0.push((name.to_string(), value)),
        }
    }

    /// JavaScript puts the names that are array indices first, in the order of their numbers.
    pub fn in_order(mut self) -> Self {
        let index = |name: &str| match name.parse::<u32>() {
            Ok(number) if number != u32::MAX && number.to_string() == name => number,
            _ => u32::MAX,
        };
        self.0.sort_by_key(|(name, _)| index(name));
        self
    }
}

impl Json {
    pub fn object(&self) -> Option<&Object> {
        if let Json::Object(object) = self {
            Some(object)
        } else {
            None
        }
    }

    pub fn list(&self) -> Option<&[Json]> {
        if let Json::List(list) = self {
            Some(list)
        } else {
            None
        }
    }

    pub fn text(&self) -> Option<&str> {
        if let Json::Text(text) = self {
            Some(text)
        } else {
            None
        }
    }

    pub fn member(&self, name: &str) -> Option<&Json> {
        self.object()?.get(name)
    }

    /// Parses a whole JSON text.
    pub fn parse(text: &str) -> Result<Json, String> {
        let mut parser = Parser {
            rest: text.chars().peekable(),
            depth: 0,
        };
        let value = parser.value()?;
        parser.space();
        match parser.rest.peek() {
            None => Ok(value),
            Some(character) => Err(format!("unexpected {character:?} after the value")),
        }
    }
}

/// As deep as the host reads documents.
const MAX_DEPTH: usize = 201;

struct Parser<'a> {
    rest: Peekable<Chars<'a>>,
    depth: usize,
}

impl Parser<'_> {
    fn space(&mut self) {
        while self
            .rest
            .next_if(|character| matches!(character, ' ' | '\t' | '\r' | '\n'))
            .is_some()
        {}
    }

    fn next(&mut self) -> Result<char, String> {
        self.rest
            .next()
            .ok_or_else(|| "the text ends in the middle of a value".to_string())
    }

    fn expect(&mut self, expected: &str) -> Result<(), String> {
        for wanted in expected.chars() {
            let found = self.next()?;
            if found != wanted {
                return Err(format!("expected {wanted:?}, found {found:?}"));
            }
        }
        Ok(())
    }

    fn value(&mut self) -> Result<Json, String> {
        self.space();
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("it is nested too deeply".to_string());
        }
        let value = match self.rest.peek() {
            Some('{') => self.object().map(Json::Object),
            Some('[') => self.list().map(Json::List),
            Some('"') => self.string().map(Json::Text),
            Some('t') => self.expect("true").map(|()| Json::Bool(true)),
            Some('f') => self.expect("false").map(|()| Json::Bool(false)),
            Some('n') => self.expect("null").map(|()| Json::Null),
            _ => self.number().map(Json::Number),
        };
        self.depth -= 1;
        value
    }

    /// What stands between two brackets, one part after the other.
    fn parts(&mut self, close: char, mut part: impl FnMut(&mut Self) -> Result<(), String>) -> Result<(), String> {
        self.next()?;
        self.space();
        if self.rest.next_if_eq(&close).is_some() {
            return Ok(());
        }
        loop {
            part(self)?;
            self.space();
            match self.next()? {
                ',' => {}
                found if found == close => return Ok(()),
                found => return Err(format!("expected ',' or {close:?}, found {found:?}")),
            }
        }
    }

    fn object(&mut self) -> Result<Object, String> {
        let mut object = Object::default();
        self.parts('}', |parser| {
            parser.space();
            let name = parser.string()?;
            parser.space();
            parser.expect(":")?;
            let value = parser.value()?;
            object.set(&name, value);
            Ok(())
        })?;
        Ok(object.in_order())
    }

    fn list(&mut self) -> Result<Vec<Json>, String> {
        let mut list = Vec::new();
        self.parts(']', |parser| {
            list.push(parser.value()?);
            Ok(())
        })?;
        Ok(list)
    }

    fn string(&mut self) -> Result<String, String> {
        self.expect("\"")?;
        // The halves of a pair can stand in two escapes, so the text is put together from UTF-16.
        let mut units: Vec<u16> = Vec::new();
        loop {
            let character = match self.next()? {
                '"' => break,
                '\\' => match self.next()? {
                    'b' => '\u{8}',
                    'f' => '\u{c}',
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    'u' => {
                        let digits: String = (0..4).map(|_| self.next()).collect::<Result<_, _>>()?;
                        units.push(u16::from_str_radix(&digits, 16).map_err(|_| format!("the escape \\u{digits}"))?);
                        continue;
                    }
                    same @ ('"' | '\\' | '/') => same,
                    other => return Err(format!("the escape \\{other}")),
                },
                plain => plain,
            };
            units.extend_from_slice(character.encode_utf16(&mut [0; 2]));
        }
        Ok(String::from_utf16_lossy(&units))
    }

    fn number(&mut self) -> Result<Number, String> {
        let mut text = String::new();
        while let Some(digit) = self
            .rest
            .next_if(|c| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E'))
        {
            text.push(digit);
        }
        let float: f64 = text
            .parse()
            .map_err(|_| format!("a value cannot begin with {:?}", self.rest.peek()))?;
        Ok(integer(&text).map_or(Number::Float(float), Number::Integer))
    }
}

/// The integer that a number text stands for, however it is written (`1e3`, `10.0`).
fn integer(text: &str) -> Option<i128> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let negative = whole.starts_with('-');
    let digits = format!("{}{fraction}", whole.trim_start_matches('-'));
    let shift = exponent.parse::<i64>().ok()? - fraction.len() as i64;
    let split = digits.len() as i64 + shift;
    let (digits, rest) = digits.split_at(split.clamp(0, digits.len() as i64) as usize);
    if rest.bytes().any(|digit| digit != b'0') {
        return None;
    }
    let zeros = (split - digits.len() as i64).clamp(0, 60) as usize;
    let digits = digits.trim_start_matches('0');
    let limit = if negative { i128::MIN } else { i128::MAX };
    match format!("{digits}{}", "0".repeat(if digits.is_empty() { 0 } else { zeros })).as_str() {
        "" => Some(0),
        digits => Some(
            digits
                .parse::<i128>()
                .map_or(limit, |value| if negative { -value } else { value }),
        ),
    }
}

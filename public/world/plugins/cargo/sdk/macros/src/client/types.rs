//! The Rust types of a document's schemas.

use super::document::{token, Document, Params, Place};
use super::names::{pascal_case, snake_case, Namespace};
use super::subset::{is_outside, range_of, type_names, UNIONS};
use crate::json::{Json, Object};
use std::collections::{HashMap, HashSet, VecDeque};

/// A definition by its number in `RustTypes::definitions`.
pub type Id = usize;

#[derive(Clone, Debug)]
pub enum RustType {
    Plain { text: &'static str, nullable: bool },
    Vec(Box<RustType>),
    Option(Box<RustType>),
    Named(Id),
}

pub struct Field {
    pub name: String,
    pub wire: String,
    pub descriptions: Vec<String>,
    pub required: bool,
    pub of: RustType,
}

pub struct Definition {
    pub name: String,
    pub descriptions: Vec<String>,
    pub body: Body,
}

pub enum Body {
    Struct(Vec<Field>),
    /// Names of the variants, in Rust and in JSON.
    Enum(Vec<(String, String)>),
    Alias(RustType),
}

const VALUE: RustType = RustType::Plain {
    text: "serde_json::Value",
    nullable: true,
};
const UNIT: RustType = RustType::Plain {
    text: "()",
    nullable: true,
};
const MAP: RustType = RustType::Plain {
    text: "serde_json::Map<String, serde_json::Value>",
    nullable: false,
};

/// Names of the prelude and of the module's own imports, which a definition must not hide.
const RESERVED: &str =
    "AsMut AsRef Box Clone Copy Debug Default DoubleEndedIterator Drop Eq Err Error ExactSizeIterator Extend Fn FnMut \
     FnOnce From FromIterator Hash Into IntoIterator Iterator None Ok Option Ord PartialEq PartialOrd Result Send Sized \
     Some String Sync ToOwned ToString TryFrom TryInto Unpin Vec";

/// What is still to be done for a definition.
enum Unfinished {
    Fields {
        id: Id,
        place: Place,
        hint: String,
        more: Vec<(String, String)>,
        moved: HashMap<String, String>,
    },
    Alias {
        id: Id,
        target: Place,
        name: String,
    },
}

pub struct RustTypes<'a> {
    pub definitions: Vec<Definition>,
    document: &'a Document,
    names: Namespace,
    /// By pointer.
    known: HashMap<String, RustType>,
    unfinished: VecDeque<Unfinished>,
}

impl<'a> RustTypes<'a> {
    pub fn new(document: &'a Document) -> Self {
        let names = Namespace::new(RESERVED);
        RustTypes {
            definitions: Vec::new(),
            document,
            names,
            known: HashMap::new(),
            unfinished: VecDeque::new(),
        }
    }

    /// Whether a value of the type can be null, so that "absent" and "null" must be told apart.
    pub fn is_nullable(&self, of: &RustType) -> bool {
        let mut of = of;
        let mut seen = HashSet::new();
        while let RustType::Named(id) = of {
            match &self.definitions[*id].body {
                Body::Alias(inner) if seen.insert(*id) => of = inner,
                _ => return false,
            }
        }
        matches!(of, RustType::Option(_) | RustType::Plain { nullable: true, .. })
    }

    /// The type of the params of a method; `None` where it takes none.
    pub fn params(&mut self, params: &Params, hint: &str, told: &[(String, String)]) -> Option<RustType> {
        match params {
            Params::Declared(place) => Some(self.of(place, hint)),
            Params::Listed(place, moved) => {
                let properties = place.schema.member("properties")?.object()?;
                properties.iter().next()?;
                Some(self.of_struct(place, hint, told.to_vec(), moved.clone()))
            }
        }
    }

    /// The type of a schema; `hint` is the name of what it defines, if it is no shared schema.
    pub fn of(&mut self, place: &Place, hint: &str) -> RustType {
        let Some(schema) = place.schema.object() else {
            return VALUE;
        };
        if is_outside(&place.schema) {
            return VALUE;
        }
        if let Some(reference) = schema.get("$ref") {
            return self.shared(&reference.clone());
        }
        if let Some(known) = self.known.get(&place.pointer) {
            return known.clone();
        }
        let found = self.inline(place, schema, hint);
        self.known.insert(place.pointer.clone(), found.clone());
        found
    }

    fn of_struct(
        &mut self,
        place: &Place,
        hint: &str,
        more: Vec<(String, String)>,
        moved: HashMap<String, String>,
    ) -> RustType {
        let id = self.define(hint, descriptions(&place.schema), Body::Struct(Vec::new()));
        if place.schema.object().is_some_and(|schema| is_plainly("object", schema)) {
            self.known.insert(place.pointer.clone(), RustType::Named(id));
        }
        self.unfinished.push_back(Unfinished::Fields {
            id,
            place: place.clone(),
            hint: hint.to_string(),
            more,
            moved,
        });
        RustType::Named(id)
    }

    /// Completes the definitions; until then, a type that leads on and on is not followed.
    pub fn finish(&mut self) {
        while let Some(next) = self.unfinished.pop_front() {
            match next {
                Unfinished::Fields {
                    id,
                    place,
                    hint,
                    more,
                    moved,
                } => {
                    self.definitions[id].body = Body::Struct(self.fields(&place, &hint, &more, &moved));
                }
                Unfinished::Alias { id, target, name } => {
                    let schema = target.schema.object().expect("checked before");
                    let of = match schema.get("$ref") {
                        None => self.inline(&target, schema, &format!("{name} value")),
                        Some(reference) => self.shared(reference),
                    };
                    self.definitions[id].body = Body::Alias(of);
                }
            }
        }
    }

    fn fields(
        &mut self,
        place: &Place,
        hint: &str,
        more: &[(String, String)],
        moved: &HashMap<String, String>,
    ) -> Vec<Field> {
        let mut names = Namespace::default();
        let required = place.schema.member("required").and_then(Json::list).unwrap_or_default();
        let properties = place.schema.member("properties").and_then(Json::object);
        let mut fields = Vec::new();
        for (wire, child) in properties.into_iter().flat_map(Object::iter) {
            let told = more
                .iter()
                .filter(|(name, _)| name == wire)
                .map(|(_, text)| text.clone());
            let mut inner = place.inside(child, &format!("properties/{}", token(wire)));
            if let Some(pointer) = moved.get(wire) {
                inner.pointer = pointer.clone();
            }
            fields.push(Field {
                name: names.take(snake_case(wire)),
                wire: wire.to_string(),
                descriptions: told.chain(inline_descriptions(child)).collect(),
                required: required.iter().any(|name| name.text() == Some(wire)),
                of: self.of(&inner, &format!("{hint} {wire}")),
            });
        }
        fields
    }

    fn define(&mut self, name: &str, descriptions: Vec<String>, body: Body) -> Id {
        let name = self.names.take(pascal_case(name));
        self.definitions.push(Definition {
            name,
            descriptions,
            body,
        });
        self.definitions.len() - 1
    }

    fn shared(&mut self, reference: &Json) -> RustType {
        let Some((name, Some(target))) = self.document.resolve(reference) else {
            return VALUE;
        };
        let Some(schema) = target.schema.object() else {
            return VALUE;
        };
        if is_outside(&target.schema) {
            return VALUE;
        }
        if let Some(known) = self.known.get(&target.pointer) {
            return known.clone();
        }
        let has_name = match schema.get("properties") {
            Some(_) => is_plainly("object", schema),
            None => schema.get("enum").is_some() && is_plainly("string", schema),
        };
        if has_name {
            return self.of(&target, &name);
        }
        let id = self.define(&name, inline_descriptions(&target.schema), Body::Alias(VALUE));
        self.known.insert(target.pointer.clone(), RustType::Named(id));
        self.unfinished.push_back(Unfinished::Alias { id, target, name });
        RustType::Named(id)
    }

    fn inline(&mut self, place: &Place, schema: &Object, hint: &str) -> RustType {
        if let Some(keyword) = UNIONS.into_iter().find(|keyword| schema.get(keyword).is_some()) {
            return self.union(place, keyword, hint);
        }
        let names = type_names(schema).unwrap_or_else(|| {
            vec![match (schema.get("enum"), schema.get("properties")) {
                (Some(_), _) => "string",
                (_, Some(_)) => "object",
                _ => "any",
            }]
        });
        let kind = names.iter().find(|name| **name != "null");
        let Some(kind) = kind else { return UNIT };
        let found = self.kind(place, schema, kind, hint);
        if names.len() > 1 {
            RustType::Option(Box::new(found))
        } else {
            found
        }
    }

    fn union(&mut self, place: &Place, keyword: &str, hint: &str) -> RustType {
        let branches = place.schema.member(keyword).and_then(Json::list).unwrap_or_default();
        let places = branches
            .iter()
            .enumerate()
            .map(|(at, branch)| place.inside(branch, &format!("{keyword}/{at}")));
        let others: Vec<Place> = places.filter(|branch| !self.is_null(&branch.schema)).collect();
        match others.as_slice() {
            [] => UNIT,
            [one] => RustType::Option(Box::new(self.of(one, hint))),
            _ => VALUE,
        }
    }

    fn kind(&mut self, place: &Place, schema: &Object, kind: &str, hint: &str) -> RustType {
        let plain = |text| RustType::Plain { text, nullable: false };
        if let Some(values) = schema.get("enum") {
            return if kind == "string" {
                self.of_enum(place, values, hint)
            } else {
                VALUE
            };
        }
        match kind {
            "boolean" => plain("bool"),
            "integer" => plain(integer_type(range_of(schema))),
            "number" => plain("f64"),
            "string" => plain("String"),
            "array" => RustType::Vec(Box::new(match schema.get("items") {
                Some(items) if is_truthy(items) => self.of(&place.inside(items, "items"), &format!("{hint} item")),
                _ => VALUE,
            })),
            "object" if schema.get("properties").is_some() => self.of_struct(place, hint, Vec::new(), HashMap::new()),
            "object" => MAP,
            _ => VALUE,
        }
    }

    fn of_enum(&mut self, place: &Place, values: &Json, hint: &str) -> RustType {
        let mut names = Namespace::default();
        let mut variants: Vec<(String, String)> = Vec::new();
        for wire in values.list().unwrap_or_default().iter().filter_map(Json::text) {
            if !variants.iter().any(|(_, before)| before == wire) {
                variants.push((names.take(pascal_case(wire)), wire.to_string()));
            }
        }
        RustType::Named(self.define(hint, descriptions(&place.schema), Body::Enum(variants)))
    }

    fn is_null(&self, schema: &Json) -> bool {
        let mut schema = schema.clone();
        for _ in 0..100 {
            let Some(reference) = schema.member("$ref").cloned() else {
                break;
            };
            schema = self
                .document
                .resolve(&reference)
                .and_then(|(_, place)| place)
                .map_or(Json::Null, |at| at.schema);
        }
        let names = schema.object().and_then(type_names);
        names.is_some_and(|names| names.iter().all(|name| *name == "null"))
    }
}

/// What JavaScript takes for true: a schema can be any value here.
fn is_truthy(json: &Json) -> bool {
    !matches!(json, Json::Null | Json::Bool(false)) && json.text() != Some("")
}

/// Whether the schema allows this kind of value and no null; without a `type`, the author is taken to mean the kind.
fn is_plainly(kind: &str, schema: &Object) -> bool {
    type_names(schema).is_none_or(|names| names == [kind])
}

/// The smallest of the common types that has the whole range; all of `i64` where there is no range.
fn integer_type((min, max): (Option<i128>, Option<i128>)) -> &'static str {
    if min.is_some_and(|min| min >= 0) {
        return if max.is_some_and(|max| max < 1 << 32) {
            "u32"
        } else {
            "u64"
        };
    }
    if max.is_some_and(|max| max >= 1 << 63) || min.is_some_and(|min| min < -(1 << 63)) {
        return "i128";
    }
    match (min, max) {
        (Some(min), Some(max)) if min >= -(1 << 31) && max < 1 << 31 => "i32",
        _ => "i64",
    }
}

fn descriptions(schema: &Json) -> Vec<String> {
    schema
        .member("description")
        .and_then(Json::text)
        .map(str::to_string)
        .into_iter()
        .collect()
}

/// The descriptions of a schema and of its items or branches, which may have no name of their own to stand at.
fn inline_descriptions(schema: &Json) -> Vec<String> {
    let mut found = descriptions(schema);
    for keyword in ["items", "anyOf", "oneOf"] {
        match schema.member(keyword) {
            Some(Json::List(list)) => found.extend(list.iter().flat_map(inline_descriptions)),
            Some(one) => found.extend(inline_descriptions(one)),
            None => {}
        }
    }
    found
}

//! JSON Schemas (draft 7) of the types in an interface, in the form that the core's checks can read (R10-3).

use schemars::generate::SchemaSettings;
use schemars::transform::{transform_subschemas, Transform};
use schemars::{Schema, SchemaGenerator};
use serde_json::{json, Map, Value};

const PATH: &str = "/components/schemas";
const REFERENCE: &str = "#/components/schemas/";

/// Params are described as they are read, results as they are written: an `Option` of a result is always there, null
/// as it may be. A type that is used for both and differs gets two names.
pub struct Schemas {
    read: SchemaGenerator,
    written: SchemaGenerator,
}

impl Default for Schemas {
    fn default() -> Self {
        // `Plainer` makes draft 7 of it.
        let settings = SchemaSettings::draft2020_12().with(|settings| {
            settings.definitions_path = PATH.into();
            settings.meta_schema = None;
        });
        Schemas {
            read: settings.clone().into_generator(),
            written: settings.for_serialize().into_generator(),
        }
    }
}

impl Schemas {
    /// The schema of the params object and the same as a list of params.
    pub fn params(&mut self, of: fn(&mut SchemaGenerator) -> Schema) -> (Value, Value) {
        let schema = plain(of(&mut self.read), Plainer::READ);
        let name = schema["$ref"]
            .as_str()
            .and_then(|reference| reference.strip_prefix(REFERENCE));
        let object = match name {
            Some(name) => {
                let mut object = self.read.definitions().get(name).cloned().unwrap_or_default();
                change(&mut object, Plainer::READ);
                object
            }
            None => schema.clone(),
        };
        let properties = object["properties"].as_object();
        let required = object["required"].as_array();
        let params = properties.into_iter().flatten().map(|(name, schema)| {
            let mut param = Map::new();
            param.insert("name".into(), name.as_str().into());
            if required.is_some_and(|required| required.iter().any(|known| known == name)) {
                param.insert("required".into(), true.into());
            }
            if let Some(description) = schema.get("description") {
                param.insert("description".into(), description.clone());
            }
            param.insert("schema".into(), schema.clone());
            Value::Object(param)
        });
        (schema.clone(), params.collect())
    }

    pub fn result(&mut self, of: fn(&mut SchemaGenerator) -> Schema) -> Value {
        plain(of(&mut self.written), Plainer::WRITTEN)
    }

    /// All shared schemas; and methods and endpoints, whose results refer to those that got another name.
    pub fn finish(mut self, mut methods: Value, mut endpoints: Value) -> (Value, Value, Value) {
        let taken = |generator: &mut SchemaGenerator, by: Plainer| {
            let mut definitions = generator.take_definitions(false);
            definitions.values_mut().for_each(|schema| change(schema, by));
            definitions
        };
        let mut all = taken(&mut self.read, Plainer::READ);
        let written = taken(&mut self.written, Plainer::WRITTEN);
        let same = |name: &str| all.get(name).is_none_or(|read| Some(read) == written.get(name));
        // What refers to a schema that differs differs itself, though its text is the same.
        let mut renamed: Vec<String> = written.keys().filter(|name| !same(name)).cloned().collect();
        loop {
            let refers = |(name, schema): &(&String, &Value)| {
                all.contains_key(*name)
                    && !renamed.contains(name)
                    && renamed.iter().any(|other| mentions(schema, other))
            };
            match written.iter().find(refers) {
                Some((name, _)) => renamed.push(name.clone()),
                None => break,
            }
        }
        let new_name = |name: &str| {
            let mut free = format!("{name}Result");
            while all.contains_key(&free) || written.contains_key(&free) {
                free.push('_');
            }
            free
        };
        let names: Vec<(String, String)> = renamed.iter().map(|name| (name.clone(), new_name(name))).collect();
        for (name, mut schema) in written {
            rename(&mut schema, &names);
            let known = names.iter().find(|(old, _)| *old == name).map(|(_, new)| new.clone());
            all.entry(known.unwrap_or(name)).or_insert(schema);
        }
        for holder in [&mut methods].into_iter().chain(
            endpoints
                .as_object_mut()
                .into_iter()
                .flat_map(|all| all.values_mut().filter_map(|endpoint| endpoint.get_mut("methods"))),
        ) {
            for method in holder.as_array_mut().into_iter().flatten() {
                rename(&mut method["result"], &names);
            }
        }
        (methods, endpoints, all.into())
    }
}

fn mentions(schema: &Value, name: &str) -> bool {
    match schema {
        Value::Object(members) => members.iter().any(|(keyword, value)| match value {
            Value::String(reference) => keyword == "$ref" && reference.strip_prefix(REFERENCE) == Some(name),
            inner => mentions(inner, name),
        }),
        Value::Array(items) => items.iter().any(|item| mentions(item, name)),
        _ => false,
    }
}

fn rename(schema: &mut Value, names: &[(String, String)]) {
    match schema {
        Value::Object(members) => {
            for (keyword, value) in members.iter_mut() {
                let Value::String(text) = value else {
                    rename(value, names);
                    continue;
                };
                let name = text.strip_prefix(REFERENCE).filter(|_| keyword == "$ref");
                if let Some((_, new)) = names.iter().find(|(old, _)| name == Some(old)) {
                    *text = format!("{REFERENCE}{new}");
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| rename(item, names)),
        _ => {}
    }
}

fn plain(schema: Schema, by: Plainer) -> Value {
    let mut value = schema.to_value();
    change(&mut value, by);
    value
}

fn change(value: &mut Value, mut by: Plainer) {
    if let Ok(schema) = <&mut Schema>::try_from(value) {
        by.transform(schema);
    }
}

/// Says the same in draft 7, and where it can in keywords that the checks know: a union of texts is an `enum`, a `const`
/// too. A description beside a `$ref` stays there: the checks read it, and validators pass over it.
#[derive(Clone, Copy)]
struct Plainer {
    /// An `Option` that is read need not be sent, and nobody need know that null would do too.
    read: bool,
}

impl Plainer {
    const READ: Plainer = Plainer { read: true };
    const WRITTEN: Plainer = Plainer { read: false };
}

impl Transform for Plainer {
    fn transform(&mut self, schema: &mut Schema) {
        transform_subschemas(self, schema);
        if let Some(items) = schema.remove("prefixItems") {
            if let Some(rest) = schema.insert("items".into(), items) {
                schema.insert("additionalItems".into(), rest);
            }
        }
        if self.read {
            let required = schema
                .get("required")
                .and_then(Value::as_array)
                .cloned()
                .unwrap_or_default();
            if let Some(Value::Object(properties)) = schema.get_mut("properties") {
                for (_, property) in properties
                    .iter_mut()
                    .filter(|(name, _)| !required.iter().any(|known| known == *name))
                {
                    without_null(property);
                }
            }
        }
        if let Some(Value::String(text)) = schema.get("const").cloned() {
            schema.remove("const");
            schema.insert("enum".into(), json!([text]));
        }
        let Some(Value::Array(branches)) = schema.get("oneOf") else {
            return;
        };
        let mut values = Vec::new();
        let mut about = Vec::new();
        for branch in branches {
            let Some(Value::Array(texts)) = branch.get("enum") else {
                return;
            };
            if branch.get("type") != Some(&json!("string")) {
                return;
            }
            if let (Some(Value::String(description)), [Value::String(text)]) = (branch.get("description"), &texts[..]) {
                about.push(format!("- `{text}`: {description}"));
            }
            values.extend(texts.iter().cloned());
        }
        schema.remove("oneOf");
        schema.insert("type".into(), "string".into());
        schema.insert("enum".into(), values.into());
        if !about.is_empty() {
            let before = schema
                .get("description")
                .and_then(Value::as_str)
                .map(|text| format!("{text}\n\n"));
            let description = before.unwrap_or_default() + &about.join("\n");
            schema.insert("description".into(), description.into());
        }
    }
}

/// Takes null out of what a schema allows, where the rest stays a schema.
fn without_null(schema: &mut Value) {
    let Value::Object(members) = schema else { return };
    for keyword in ["type", "enum"] {
        if let Some(Value::Array(values)) = members.get_mut(keyword) {
            values.retain(|value| *value != Value::Null && value != "null");
            if let (true, [one]) = (keyword == "type", &values[..]) {
                let one = one.clone();
                members.insert("type".into(), one);
            }
        }
    }
    if let Some(Value::Array(branches)) = members.get_mut("anyOf") {
        branches.retain(|branch| branch["type"] != "null");
        if let [Value::Object(one)] = &branches[..] {
            let one = one.clone();
            members.remove("anyOf");
            for (keyword, value) in one {
                members.entry(keyword).or_insert(value);
            }
        }
    }
}

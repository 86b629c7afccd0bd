//! The parts of an OpenRPC document that a client needs: methods with their params as one object, and endpoints.

use crate::json::{Json, Object};
use std::collections::HashMap;

pub struct Method {
    pub name: String,
    pub summary: Option<String>,
    pub description: Option<String>,
    pub deprecated: bool,
    /// What is said about each param, and about the result.
    pub told: Vec<(String, String)>,
    pub result_told: Option<String>,
    pub params: Params,
    pub result: Option<Place>,
}

pub enum Params {
    /// The schema that `x-sausage-params` names.
    Declared(Place),
    /// The object that the list `params` makes; its schemas stand where the list has them.
    Listed(Place, HashMap<String, String>),
}

/// A schema at its place, a JSON pointer.
#[derive(Clone)]
pub struct Place {
    pub schema: Json,
    pub pointer: String,
}

impl Place {
    pub fn inside(&self, schema: &Json, path: &str) -> Place {
        Place {
            schema: schema.clone(),
            pointer: format!("{}/{path}", self.pointer),
        }
    }
}

pub struct Document {
    pub title: String,
    pub description: Option<String>,
    pub methods: Vec<Method>,
    pub endpoints: Vec<(String, Vec<Method>)>,
    components: Json,
}

/// One token of a JSON pointer.
pub fn token(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

fn text(holder: &Json, name: &str) -> Option<String> {
    holder.member(name)?.text().map(str::to_string)
}

impl Document {
    pub fn read(json: &Json) -> Result<Document, String> {
        let object = json.object().ok_or("it must be an object")?;
        let info = object.get("info").cloned().unwrap_or(Json::Null);
        let components = object.get("components").cloned().unwrap_or(Json::Null);
        let mut document = Document {
            title: text(&info, "title").unwrap_or_default(),
            description: text(&info, "description"),
            methods: Vec::new(),
            endpoints: Vec::new(),
            components,
        };
        document.methods = document.read_methods(object.get("methods"), "/methods")?;
        let none = Object::default();
        let endpoints = match object.get("x-sausage-endpoints") {
            None => &none,
            Some(endpoints) => endpoints.object().ok_or("/x-sausage-endpoints: it must be an object")?,
        };
        for (name, endpoint) in endpoints.iter() {
            let pointer = format!("/x-sausage-endpoints/{}/methods", token(name));
            let methods = document.read_methods(endpoint.member("methods"), &pointer)?;
            document.endpoints.push((name.to_string(), methods));
        }
        Ok(document)
    }

    /// The shared schema that a `$ref` means, with its name.
    pub fn resolve(&self, reference: &Json) -> Option<(String, Option<Place>)> {
        self.shared("schemas", reference)
    }

    fn shared(&self, kind: &str, reference: &Json) -> Option<(String, Option<Place>)> {
        let name = reference
            .text()?
            .strip_prefix("#/components/")?
            .strip_prefix(kind)?
            .strip_prefix('/')?;
        if name.is_empty() || name.contains('/') {
            return None;
        }
        let name = percent_decoded(name).replace("~1", "/").replace("~0", "~");
        let schema = self.components.member(kind).and_then(|all| all.member(&name)).cloned();
        let pointer = format!("/components/{kind}/{}", token(&name));
        Some((name, schema.map(|schema| Place { schema, pointer })))
    }

    fn read_methods(&self, json: Option<&Json>, pointer: &str) -> Result<Vec<Method>, String> {
        let list = json
            .and_then(Json::list)
            .ok_or_else(|| format!("{pointer}: there must be a list of methods"))?;
        let mut methods: Vec<Method> = Vec::new();
        for (at, json) in list.iter().enumerate() {
            let method = self.read_method(json, &format!("{pointer}/{at}"))?;
            if methods.iter().any(|before| before.name == method.name) {
                return Err(format!(
                    "{pointer}/{at}/name: there is a method {:?} before",
                    method.name
                ));
            }
            methods.push(method);
        }
        Ok(methods)
    }

    fn read_method(&self, json: &Json, pointer: &str) -> Result<Method, String> {
        let name = text(json, "name").filter(|name| !name.is_empty());
        let name = name.ok_or_else(|| format!("{pointer}: a method must have a name"))?;
        let mut told = Vec::new();
        let listed = match (json.member("params"), json.member("x-sausage-params")) {
            (None, Some(_)) => &[],
            (params, _) => params
                .and_then(Json::list)
                .ok_or_else(|| format!("{pointer}/params: there must be a list of params"))?,
        };
        let made = self.params_object(listed, &format!("{pointer}/params"), &mut told)?;
        let params = match json.member("x-sausage-params") {
            None => made,
            Some(schema) => Params::Declared(Place {
                schema: schema.clone(),
                pointer: format!("{pointer}/x-sausage-params"),
            }),
        };
        let (result, result_told) = match json.member("result") {
            None => (None, None),
            Some(result) => {
                let (place, descriptor) = self.descriptor(result, &format!("{pointer}/result"))?;
                (Some(place), text(&descriptor, "description"))
            }
        };
        Ok(Method {
            name,
            summary: text(json, "summary"),
            description: text(json, "description"),
            deprecated: json.member("deprecated") == Some(&Json::Bool(true)),
            told,
            result_told,
            params,
            result,
        })
    }

    /// The object of params by name, each schema still known by its own place.
    fn params_object(
        &self,
        listed: &[Json],
        pointer: &str,
        told: &mut Vec<(String, String)>,
    ) -> Result<Params, String> {
        let mut properties = Object::default();
        let mut required = Vec::new();
        let mut places = HashMap::new();
        for (at, json) in listed.iter().enumerate() {
            let (place, descriptor) = self.descriptor(json, &format!("{pointer}/{at}"))?;
            let name = text(&descriptor, "name").ok_or_else(|| format!("{pointer}/{at}: a param must have a name"))?;
            if properties.get(&name).is_some() {
                return Err(format!("{pointer}/{at}: there is a param {name:?} before"));
            }
            properties.set(&name, place.schema);
            places.insert(name.clone(), place.pointer);
            if descriptor.member("required") == Some(&Json::Bool(true)) {
                required.push(Json::Text(name.clone()));
            }
            if let Some(description) = text(&descriptor, "description") {
                told.push((name, description));
            }
        }
        let mut schema = Object::default();
        schema.set("type", Json::Text("object".to_string()));
        schema.set("properties", Json::Object(properties.in_order()));
        schema.set("required", Json::List(required));
        Ok(Params::Listed(
            Place {
                schema: Json::Object(schema),
                pointer: pointer.to_string(),
            },
            places,
        ))
    }

    /// A content descriptor and the place of its schema.
    fn descriptor(&self, json: &Json, pointer: &str) -> Result<(Place, Json), String> {
        let found = match json.member("$ref") {
            None => Some(Place {
                schema: json.clone(),
                pointer: pointer.to_string(),
            }),
            Some(reference) => self
                .shared("contentDescriptors", reference)
                .and_then(|(_, place)| place),
        };
        let wrong = || format!("{pointer}: there must be a content descriptor with a schema");
        let found = found.ok_or_else(wrong)?;
        let schema = found.schema.member("schema").ok_or_else(wrong)?;
        Ok((found.inside(schema, "schema"), found.schema))
    }
}

/// A text that is no proper percent-encoding is taken as it is.
fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || rest.next().and_then(|digit| (digit as char).to_digit(16));
        match (digit(), digit()) {
            (Some(high), Some(low)) => bytes.push((high * 16 + low) as u8),
            _ => return text.to_string(),
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_string())
}

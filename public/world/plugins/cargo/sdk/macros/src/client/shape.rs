//! What Rust asks of types that lead back to themselves: boxes, wrappers instead of aliases, and who has a default.

use super::types::{Body, Id, RustType, RustTypes};
use std::collections::HashSet;

pub struct Shape<'a> {
    types: &'a RustTypes<'a>,
    /// Definitions that reach each other have one number.
    cycles: Vec<usize>,
    wrappers: HashSet<Id>,
    with_default: HashSet<Id>,
}

/// The definition in a type; `direct` leaves out one behind a `Vec`, which is an indirection of its own.
fn mentioned(of: &RustType, direct: bool) -> Option<Id> {
    match of {
        RustType::Named(id) => Some(*id),
        RustType::Option(of) => mentioned(of, direct),
        RustType::Vec(of) if !direct => mentioned(of, direct),
        _ => None,
    }
}

fn parts(body: &Body) -> Vec<&RustType> {
    match body {
        Body::Struct(fields) => fields.iter().map(|field| &field.of).collect(),
        Body::Alias(of) => vec![of],
        Body::Enum(_) => Vec::new(),
    }
}

impl<'a> Shape<'a> {
    pub fn new(types: &'a RustTypes<'a>) -> Self {
        let body = |id: Id| &types.definitions[id].body;
        let count = types.definitions.len();
        let cycles = cycles(count, |id| {
            parts(body(id))
                .into_iter()
                .filter_map(|of| mentioned(of, true))
                .collect()
        });
        let mut shape = Shape {
            types,
            cycles,
            wrappers: HashSet::new(),
            with_default: HashSet::new(),
        };
        let next_alias = |id: Id| match body(id) {
            Body::Alias(of) => mentioned(of, false).filter(|next| matches!(body(*next), Body::Alias(_))),
            _ => None,
        };
        for id in 0..count {
            let mut seen = HashSet::new();
            let mut at = next_alias(id);
            while let Some(next) = at.filter(|next| seen.insert(*next)) {
                at = next_alias(next);
            }
            if seen.contains(&id) {
                shape.wrappers.insert(id);
            }
        }
        loop {
            let before = shape.with_default.len();
            for id in 0..count {
                if shape.can_have_default(id) {
                    shape.with_default.insert(id);
                }
            }
            if shape.with_default.len() == before {
                return shape;
            }
        }
    }

    /// An alias that contains itself must be a struct of its own around the type.
    pub fn is_wrapper(&self, id: Id) -> bool {
        self.wrappers.contains(&id)
    }

    /// Whether the struct can derive `Default`.
    pub fn has_default(&self, id: Id) -> bool {
        self.with_default.contains(&id)
    }

    pub fn is_nullable(&self, of: &RustType) -> bool {
        self.types.is_nullable(of)
    }

    fn can_have_default(&self, id: Id) -> bool {
        let has = |of: &RustType| !matches!(of, RustType::Named(id) if !self.with_default.contains(id));
        match &self.types.definitions[id].body {
            Body::Enum(_) => false,
            Body::Alias(of) => has(of),
            Body::Struct(fields) => fields.iter().filter(|field| field.required).all(|field| has(&field.of)),
        }
    }

    /// The text of a type, within `owner` if it stands in one.
    pub fn text(&self, of: &RustType, owner: Option<Id>) -> String {
        self.text_at(of, owner, true)
    }

    fn text_at(&self, of: &RustType, owner: Option<Id>, direct: bool) -> String {
        match of {
            RustType::Plain { text, .. } => text.to_string(),
            RustType::Vec(of) => format!("Vec<{}>", self.text_at(of, owner, false)),
            RustType::Option(of) if self.is_nullable(of) => self.text_at(of, owner, direct),
            RustType::Option(of) => format!("Option<{}>", self.text_at(of, owner, direct)),
            RustType::Named(id) => {
                let name = &self.types.definitions[*id].name;
                let boxed = direct && owner.is_some_and(|owner| self.cycles[*id] == self.cycles[owner]);
                if boxed {
                    format!("Box<{name}>")
                } else {
                    name.clone()
                }
            }
        }
    }
}

/// Numbers the definitions so that those which reach each other have one number (Tarjan's algorithm, without recursion).
fn cycles(count: usize, next: impl Fn(Id) -> Vec<Id>) -> Vec<usize> {
    const NONE: usize = usize::MAX;
    let (mut order, mut low, mut done) = (vec![NONE; count], vec![NONE; count], vec![NONE; count]);
    let mut open: Vec<Id> = Vec::new();
    let mut entered = 0;
    for root in 0..count {
        let mut path: Vec<(Id, Vec<Id>)> = Vec::new();
        let mut enter = Some(root).filter(|root| order[*root] == NONE);
        loop {
            if let Some(id) = enter.take() {
                (order[id], low[id]) = (entered, entered);
                entered += 1;
                open.push(id);
                path.push((id, next(id)));
            }
            let Some((id, left)) = path.last_mut() else { break };
            let id = *id;
            match left.pop() {
                Some(child) if order[child] == NONE => enter = Some(child),
                Some(child) if done[child] == NONE => low[id] = low[id].min(order[child]),
                Some(_) => {}
                None => {
                    path.pop();
                    if let Some((parent, _)) = path.last() {
                        low[*parent] = low[*parent].min(low[id]);
                    }
                    if low[id] == order[id] {
                        let from = open.iter().position(|member| *member == id).expect("it is open");
                        for member in open.drain(from..) {
                            done[member] = order[id];
                        }
                    }
                }
            }
        }
    }
    done
}

//! A plugin for the tests of the SDK: a method for each thing that the SDK can do.

use sausage_plugin::{plugin, Error, Result};

/// Does what tests ask for.
///
/// Nobody else needs it.
#[plugin(grace = 1.5)]
mod probe {
    use super::*;
    use sausage_plugin::schemars::JsonSchema;
    use sausage_plugin::serde::{Deserialize, Serialize};
    use sausage_plugin::serde_json::{json, Value};
    use sausage_plugin::{
        call, call_async, call_detached, lock, lock_async, notify, on_stop, progress, sleep, spawn, stopped, tell,
        try_lock,
    };
    use std::fs;
    use std::time::Duration;

    sausage_plugin::import!("greeter": "greet");

    /// How it went.
    #[derive(Serialize, Deserialize, JsonSchema)]
    #[serde(crate = "sausage_plugin::serde", rename_all = "kebab-case")]
    #[schemars(crate = "sausage_plugin::schemars")]
    pub enum Mood {
        /// Very well.
        Good,
        NotSoGood,
    }

    /// A thing in a tree of things.
    #[derive(Serialize, Deserialize, JsonSchema)]
    #[serde(crate = "sausage_plugin::serde")]
    #[schemars(crate = "sausage_plugin::schemars")]
    pub struct Thing {
        /// What it is called.
        name: String,
        /// Nobody needs to say it.
        mood: Option<Mood>,
        #[serde(default)]
        parts: Vec<Thing>,
    }

    /// Adds two numbers.
    ///
    /// The second is 1 if it is not said.
    pub fn add(
        /// The first.
        a: i64,
        b: Option<i64>,
    ) -> i64 {
        a + b.unwrap_or(1)
    }

    /// Answers what it gets, all of it in one object.
    #[name = "same-thing"]
    pub fn same(#[params] thing: Thing) -> Thing {
        thing
    }

    pub fn nothing() {}

    pub fn fail(code: i64) -> Result<u8> {
        Err(Error::new(code, "as you wish").with_data(json!({ "code": code })))
    }

    pub fn fail_to_read() -> Result<String> {
        Ok(fs::read_to_string("/nowhere")?)
    }

    pub fn panic() {
        panic!("on purpose");
    }

    /// Calls whatever is asked for, and answers its result or passes on its error.
    pub fn relay(method: String, params: Value) -> Result<Value> {
        call(&method, &params)
    }

    /// Makes calls at once and answers their results in the order of the calls.
    pub async fn many(methods: Vec<String>) -> Result<Vec<Value>> {
        let calls: Vec<_> = methods
            .iter()
            .map(|method| call_async::<_, Value>(method, &json!({})))
            .collect();
        let mut results = Vec::new();
        for call in calls {
            results.push(call.await?);
        }
        Ok(results)
    }

    /// What the other side told before it answered.
    pub async fn told(method: String) -> Result<Vec<(String, Value)>> {
        let heard = std::rc::Rc::new(std::cell::RefCell::new(Vec::new()));
        let ears = heard.clone();
        let call = call_async::<_, Value>(&method, &json!({}));
        call.on_notify(move |name, params| ears.borrow_mut().push((name.to_string(), params)))
            .await?;
        let heard = heard.take();
        Ok(heard)
    }

    pub fn greet(name: String) -> Result<String> {
        Ok(greeter::greet(&greeter::GreetParams { name })?.text)
    }

    pub fn tells() -> Result<()> {
        progress(1, 2);
        tell("found", &json!({ "file": "/a" }))?;
        notify("notes.add", &json!({ "text": "milk" }))
    }

    pub fn detach() -> Result<Value> {
        call_detached("www.start", &json!({ "port": 80 }))
    }

    pub fn locked(path: String) -> Result<u8> {
        lock(&path, || Err(Error::msg("not with this lock")))
    }

    pub async fn locks(path: String) -> Result<bool> {
        let held = lock_async(&path).await?;
        let second = try_lock(&path)?;
        drop(held);
        Ok(second.is_some())
    }

    pub async fn wait(milliseconds: u64) -> u64 {
        sleep(Duration::from_millis(milliseconds)).await;
        milliseconds
    }

    /// Answers at once and writes a file some time later.
    pub fn later(milliseconds: u64, file: String) {
        spawn(async move {
            sleep(Duration::from_millis(milliseconds)).await;
            fs::write(file, "later").expect("the file can be written");
        });
    }

    /// Goes on until it is stopped; then the hook writes how it was.
    pub fn run_on(file: String) {
        spawn(async move {
            let _end = End;
            loop {
                sleep(Duration::from_millis(1)).await;
            }
        });
        on_stop(move || {
            let call = call::<_, Value>("core.log", &json!({})).unwrap_err();
            fs::write(file, format!("stopped; {}", call.message)).expect("the file can be written");
            let _ = tell("stopping", &json!({}));
        });
    }

    struct End;

    impl Drop for End {
        fn drop(&mut self) {
            eprintln!("the background task ends");
        }
    }

    /// Answers when it is stopped.
    pub async fn until_stop() -> &'static str {
        stopped().await;
        "stopped"
    }

    #[deprecated]
    pub fn r#type(r#fn: u8, #[name = "two-words"] two: u8) -> (u8, u8) {
        (r#fn, two)
    }

    #[retired]
    fn migrate(previous: String) -> Result<()> {
        eprintln!("{previous} has ended");
        Ok(())
    }

    fn _no_method() {}

    /// What a running process offers.
    #[endpoint("control panel")]
    pub mod control {
        use super::Thing;

        /// All things.
        pub fn things() -> Vec<Thing> {
            Vec::new()
        }
    }
}

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
        call, call_async, call_detached, listen, lock, lock_async, notify, on_stop, progress, sleep, spawn, stopped, tell,
        try_lock, Endpoint,
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

    /// Serves `ring` and answers its port.
    pub fn serve(path: String) -> Result<u16> {
        Ok(listen("ring", &path)?.port())
    }

    /// Serves `ring` so long.
    pub async fn serve_for(path: String, milliseconds: u64) -> Result<()> {
        let listening = listen("ring", &path)?;
        sleep(Duration::from_millis(milliseconds)).await;
        listening.close();
        Ok(())
    }

    pub fn serve_nothing(path: String) -> Result<()> {
        listen("nothing", &path).map(|_| ())
    }

    /// What comes of the methods of a ring, and what was told on the way.
    pub async fn use_ring(path: String) -> Result<Value> {
        let ring = Endpoint::connect_serving(&path, "guest")?;
        let told = std::rc::Rc::new(std::cell::RefCell::new(Vec::new()));
        let ears = told.clone();
        let add = ring.call_async::<_, i64>("add", &json!({ "a": 40, "b": 2 }));
        let sum = add
            .on_notify(move |name, params| ears.borrow_mut().push((name.to_string(), params)))
            .await?;
        let slow: Vec<_> = [30, 10, 20]
            .map(|ms| ring.call_async::<_, u64>("slow", &json!({ "ms": ms })))
            .into();
        let mut slept = Vec::new();
        for call in slow {
            slept.push(call.await?);
        }
        let text: String = ring.call("same", &json!({ "text": "ä\n".repeat(100_000) }))?;
        let asked: String = ring.call_async("ask", &json!({})).await?;
        let failed = ring.call::<_, ()>("fail", &json!({})).unwrap_err();
        let missing = ring.call::<_, ()>("nothing", &json!({})).unwrap_err();
        let wrong = ring.call::<_, i64>("add", &json!({ "a": 1 })).unwrap_err();
        ring.notify("slow", &json!({ "ms": 1 }))?;
        let told = told.take();
        Ok(json!({
            "sum": sum, "told": told, "slept": slept, "asked": asked, "length": text.len(),
            "errors": [failed.code, missing.code, wrong.code],
        }))
    }

    /// Waits for an answer that never comes.
    pub async fn wait_on(path: String) -> Result<u64> {
        Endpoint::connect(&path)?.call_async("slow", &json!({ "ms": 3_600_000 })).await
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

    /// Is asked by others, and asks back.
    #[endpoint]
    pub mod ring {
        use super::*;
        use sausage_plugin::caller;

        /// Adds, and tells that it does.
        pub fn add(a: i64, b: i64) -> i64 {
            progress(1, 2);
            a + b
        }

        pub fn same(text: String) -> String {
            text
        }

        pub async fn slow(ms: u64) -> u64 {
            sleep(Duration::from_millis(ms)).await;
            ms
        }

        /// Asks the client for its name.
        pub async fn ask() -> Result<String> {
            let client = caller().ok_or_else(|| Error::msg("nobody called"))?;
            client.call_async("name", &json!({})).await
        }

        pub fn fail() -> Result<u8> {
            Err(Error::new(7, "as you wish"))
        }
    }

    /// What a ring can ask its client.
    #[endpoint]
    pub mod guest {
        pub fn name() -> &'static str {
            "Ada"
        }
    }
}

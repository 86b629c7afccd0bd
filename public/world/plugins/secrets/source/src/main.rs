//! The plugin `secrets`: a service that keeps secrets for other plugins.
//!
//! One process has them all and serves them at `/run/secrets`; the methods of the plugin are for people and go there too.

mod store;

/// Keeps secrets, and hands them to those who ask the running service.
#[sausage_plugin::plugin(grace = 2)]
mod secrets {
    use crate::store::Store;
    use sausage_plugin::schemars::JsonSchema;
    use sausage_plugin::serde::de::DeserializeOwned;
    use sausage_plugin::serde::{Deserialize, Serialize};
    use sausage_plugin::serde_json::json;
    use sausage_plugin::{listen, try_lock, Endpoint, Error, Result};
    use std::cell::RefCell;

    const FILE: &str = "/config/secrets.json";
    const ENDPOINT: &str = "/run/secrets";

    thread_local!(static STORE: RefCell<Store> = RefCell::new(Store::in_file(FILE)));

    /// A secret and its name.
    #[derive(Serialize, Deserialize, JsonSchema)]
    #[serde(crate = "sausage_plugin::serde")]
    #[schemars(crate = "sausage_plugin::schemars")]
    pub struct Secret {
        name: String,
        /// The journal shows it as •••.
        #[schemars(extend("writeOnly" = true))]
        value: String,
    }

    /// Serves the secrets at /run/secrets until it is stopped; a service, of which one process runs.
    pub fn serve() -> Result<()> {
        let Some(lock) = try_lock(ENDPOINT)? else {
            return Err(Error::msg("secrets are served already"));
        };
        STORE.with(|store| store.borrow_mut().load())?;
        listen("vault", ENDPOINT)?;
        // It is held as long as the process lives.
        std::mem::forget(lock);
        Ok(())
    }

    /// Keeps a secret, in the place of one of the same name.
    pub fn set(#[params] secret: Secret) -> Result<()> {
        ask("set", &secret)
    }

    /// Forgets a secret.
    pub fn remove(name: String) -> Result<()> {
        ask("remove", &json!({ "name": name }))
    }

    /// The names of all secrets.
    pub fn list() -> Result<Vec<String>> {
        ask("list", &json!({}))
    }

    fn ask<R: DeserializeOwned>(method: &str, params: &impl Serialize) -> Result<R> {
        let vault = Endpoint::connect(ENDPOINT).map_err(|error| {
            Error::msg(format!("secrets are not served ({error}): start the service with secrets.serve"))
        })?;
        vault.call(method, params)
    }

    /// The secrets, for other plugins.
    #[endpoint]
    pub mod vault {
        use super::*;

        /// The value of a secret.
        pub fn get(name: String) -> Result<String> {
            STORE.with(|store| store.borrow().get(&name))
        }

        /// Keeps a secret, in the place of one of the same name.
        pub fn set(#[params] secret: Secret) -> Result<()> {
            STORE.with(|store| store.borrow_mut().set(secret.name, secret.value))
        }

        /// Forgets a secret.
        pub fn remove(name: String) -> Result<()> {
            STORE.with(|store| store.borrow_mut().remove(&name))
        }

        /// The names of all secrets.
        pub fn list() -> Vec<String> {
            STORE.with(|store| store.borrow().names())
        }
    }
}

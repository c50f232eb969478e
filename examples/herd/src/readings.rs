//! Readings that a station has taken, over HTTP.

use reqwest::{Client, Response, Result};
use std::time::Duration;
use tokio::time::sleep;

const ATTEMPTS: u32 = 5;

pub struct Station {
    client: Client,
    url: String,
}

impl Station {
    pub async fn latest(&self) -> Result<Response> {
        let mut attempt = 1;
        loop {
            match self.client.get(&self.url).send().await {
                Ok(response) => return Ok(response),
                Err(error) if attempt == ATTEMPTS => return Err(error),
                Err(_) => sleep(Duration::from_secs(1)).await,
            }
            attempt += 1;
        }
    }

    /// The one that does no harm. It waits a random part of a delay that grows up to a cap, it gives up, and it takes a refusal for an answer.
    pub async fn history(&self) -> Result<Response> {
        let mut delay = Duration::from_millis(100);
        let mut attempt = 1;
        loop {
            match self.client.get(&self.url).send().await {
                Ok(response) if response.status().is_server_error() && attempt < ATTEMPTS => {}
                Ok(response) => return response.error_for_status(),
                Err(error) if error.is_builder() || attempt == ATTEMPTS => return Err(error),
                Err(_) => {}
            }
            sleep(delay.mul_f64(fastrand::f64())).await;
            delay = (delay * 2).min(Duration::from_secs(10));
            attempt += 1;
        }
    }
}

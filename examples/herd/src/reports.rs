//! Reports to a station, over HTTP.

use reqwest::{Client, Response, Result};
use std::time::Duration;
use tokio::time::sleep;

pub async fn report(client: &Client, url: &str, text: &str) -> Result<Response> {
    let mut delay = Duration::from_millis(100);
    let mut attempt = 1;
    loop {
        match put(client, url, text).await {
            Ok(response) => return Ok(response),
            Err(error) if attempt == 5 => return Err(error),
            Err(_) => sleep(delay).await,
        }
        delay *= 2;
        attempt += 1;
    }
}

async fn put(client: &Client, url: &str, text: &str) -> Result<Response> {
    client.put(url).body(text.to_owned()).send().await?.error_for_status()
}

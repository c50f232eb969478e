//! The live session with a station, over TCP.

use std::io;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::sleep;

pub async fn connect(addr: &str) -> TcpStream {
    loop {
        match TcpStream::connect(addr).await {
            Ok(stream) => return stream,
            Err(_) => sleep(Duration::from_millis(fastrand::u64(0..10_000))).await,
        }
    }
}

pub async fn reconnect(addr: &str) -> io::Result<TcpStream> {
    let mut last = io::ErrorKind::NotConnected.into();
    for _ in 0..20 {
        match TcpStream::connect(addr).await {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

pub fn backoff(attempt: i32) -> Duration {
    let top = Duration::from_millis(50).mul_f64(2f64.powi(attempt)).min(Duration::from_secs(60));
    top.mul_f64(fastrand::f64())
}

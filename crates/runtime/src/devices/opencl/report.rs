//! What OpenCL devices there are, for people.

use super::super::report::{Found, Place};
use super::api::{self, Api, api};
use super::{all_devices, none_found};
use crate::memory::bytes_in_words;

/// The devices in the order of their numbers, or why there is none.
pub(crate) fn report() -> Place {
    let devices = api().and_then(|api| {
        let devices = all_devices(api)?;
        if devices.is_empty() { Err(none_found(api)) } else { devices.iter().map(|(d, p)| found(api, *d, p)).collect() }
    });
    match devices {
        Ok(devices) => Place { backend: "opencl", devices, missing: Vec::new() },
        Err(why) => Place { backend: "opencl", devices: Vec::new(), missing: vec![why] },
    }
}

fn found(api: &Api, device: api::DeviceId, platform: &str) -> Result<Found, String> {
    let text = |what| api.device_text(device, what);
    let (units, memory) =
        (api.device_number(device, api::COMPUTE_UNITS)?, api.device_number(device, api::MEMORY_BYTES)?);
    let extensions = text(api::EXTENSIONS)?;
    let has = |name: &str| extensions.split_whitespace().any(|e| e == name);
    let lacks = [("cl_khr_fp64", "f64"), ("cl_khr_int64_base_atomics", "atomic operations on 64 bits")];
    let lacks: Vec<&str> = lacks.iter().filter(|(e, _)| !has(e)).map(|(_, what)| *what).collect();
    let mut facts = vec![
        format!("{units} compute units, {}", bytes_in_words(memory)),
        format!("{}, driver {}", text(api::C_VERSION)?, text(api::DRIVER_VERSION)?),
        platform.to_string(),
    ];
    if !lacks.is_empty() {
        facts.push(format!("lacks {}", lacks.join(" and ")));
    }
    Ok(Found { name: text(api::DEVICE_NAME)?, facts })
}

// SPDX-License-Identifier: Apache-2.0

//! The library from Rust with structs and functions declared by hand: client CONFIG. Prices one step of Llama-3.1-8B on
//! an H100, and checks every struct declared here against the library's layout table, the way a binding does.

use std::collections::HashMap;
use std::ffi::{c_char, c_void, CStr, CString};
use std::mem::{offset_of, size_of, zeroed};
use std::ptr::{null, null_mut};

/// Declares a struct as C lays it out, and where its fields are: name, offset and size.
macro_rules! c_struct {
    ($name:ident, $c_name:literal, { $($field:ident: $kind:ty),* $(,)? }) => {
        #[repr(C)]
        #[derive(Clone, Copy)]
        struct $name { $($field: $kind),* }

        impl Known for $name {
            const NAME: &'static str = $c_name;
            fn fields() -> Vec<(&'static str, usize, usize)> {
                vec![$((stringify!($field), offset_of!($name, $field), size_of::<$kind>())),*]
            }
        }
    };
}

trait Known: Sized {
    const NAME: &'static str;
    fn fields() -> Vec<(&'static str, usize, usize)>;
}

c_struct!(LayoutRow, "roofline_layout_row", {
    struct_size: u32, storage: i32, id: i32, padding: i32,
    offset_bytes: i64, size_bytes: i64, count: i64,
    struct_name: [c_char; 48], field: [c_char; 48], meaning: [c_char; 48],
});

c_struct!(Error, "roofline_error", {
    status: i32, field_id: i32, line: i64, offset: i64,
    path: [c_char; 232], message: [c_char; 512], reserved: [c_char; 256],
});

c_struct!(Deployment, "roofline_deployment", {
    struct_size: u32, traffic: i32, weights: i32,
    activations: i32, kv: i32, residual: i32, head_weights: i32,
    linear_arithmetic: i32, attention_arithmetic: i32,
    tp: i32, pp: i32, ep: i32, dp: i32, padding: i32,
    memory_fraction: f64, capacity_bytes: i64,
    reserve_bytes: i64, activation_bytes: i64,
    token_budget: i64, block_tokens: i64, output_slots: i64,
    host_s_per_step: f64,
});

c_struct!(Sequences, "roofline_sequences", {
    struct_size: u32, padding: i32, count: i64,
    new_tokens: i64, context_tokens: i64, logit_rows: i64,
});

c_struct!(Step, "roofline_step_result", {
    struct_size: u32, regime: i32, aggregate_s: f64,
    phase_s: f64, kernel_s: f64, predicted_s: f64,
    predicted_low_s: f64, predicted_high_s: f64, linear_s: f64,
    attention_s: f64, compute_s: f64, memory_s: f64, flops: f64,
    bytes: f64, weight_bytes: f64, kv_read_bytes: f64,
    kv_write_bytes: f64, activation_bytes: f64,
    communication_bytes: f64, intensity_flop_per_byte: f64,
    ridge_flop_per_byte: f64, tokens_per_s: f64,
    tokens_per_s_per_sequence: f64, output_tokens_per_s: f64,
    memory_bound_share: f64, compute_bound_share: f64,
    launch_share: f64, communication_share: f64, mfu: f64,
    mbu: f64, sequences: i64, new_tokens: i64, logit_rows: i64,
    kv_bytes: i64, required_bytes: i64, short_bytes: i64,
    traffic: i32, source: i32, calibrated: i32,
    cache_resident: i32, fits: i32, fit_reason: i32, ranks: i32,
    padding: i32,
});

c_struct!(Kernel, "roofline_kernel", {
    struct_size: u32, name_id: i32, kind: i32, group: i32,
    arithmetic: i32, regime: i32, cache_resident: i32,
    padding: i32, count: i64, flops: f64, bytes: f64,
    weight_bytes: f64, kv_read_bytes: f64, kv_write_bytes: f64,
    activation_bytes: f64, intensity_flop_per_byte: f64,
    compute_s: f64, memory_s: f64, bound_s: f64,
});

const OK: i32 = 0;
const RANGE: i32 = -2;
const STREAMED: i32 = 1;

#[link(name = "roofline")]
extern "C" {
    fn roofline_abi_version() -> i32;
    fn roofline_layout_count() -> i64;
    fn roofline_layout_at(index: i64, out: *mut LayoutRow, error: *mut Error) -> i32;
    fn roofline_device_open(name: *const c_char, out: *mut *mut c_void, error: *mut Error) -> i32;
    fn roofline_device_parse(
        json: *const c_char,
        length: usize,
        out: *mut *mut c_void,
        error: *mut Error,
    ) -> i32;
    fn roofline_device_free(device: *mut c_void);
    fn roofline_model_load(path: *const c_char, out: *mut *mut c_void, error: *mut Error) -> i32;
    fn roofline_model_free(model: *mut c_void);
    fn roofline_deployment_init(out: *mut Deployment, size: usize) -> i32;
    fn roofline_plan_new(
        device: *const c_void,
        model: *const c_void,
        deployment: *const Deployment,
        out: *mut *mut c_void,
        error: *mut Error,
    ) -> i32;
    fn roofline_plan_free(plan: *mut c_void);
    fn roofline_step_groups(
        plan: *const c_void,
        rows: *const Sequences,
        count: usize,
        row_bytes: usize,
        out: *mut Step,
        error: *mut Error,
    ) -> i32;
    fn roofline_step_kernels(
        plan: *const c_void,
        rows: *const Sequences,
        count: usize,
        row_bytes: usize,
        kernels: *mut Kernel,
        capacity: usize,
        kernel_row_bytes: usize,
        kernel_count: *mut usize,
        error: *mut Error,
    ) -> i32;
}

/// All structs are plain numbers and characters: zero is a value of each.
fn zero<T: Known>() -> T {
    unsafe { zeroed() }
}

fn text(characters: &[c_char]) -> String {
    let bytes: Vec<u8> = characters
        .iter()
        .map(|&character| character as u8)
        .collect();
    CStr::from_bytes_until_nul(&bytes)
        .map_or(String::new(), |text| text.to_string_lossy().into_owned())
}

#[derive(Default)]
struct Checks {
    passed: u32,
    failed: u32,
}

impl Checks {
    fn that(&mut self, what: &str, holds: bool) {
        if holds {
            self.passed += 1;
        } else {
            self.failed += 1;
            println!("rust: {what}: no");
        }
    }
}

type Layout = HashMap<(String, String), (usize, usize)>;

fn layout() -> Layout {
    let mut rows = Layout::new();
    for index in 0..unsafe { roofline_layout_count() } {
        let mut row = zero::<LayoutRow>();
        row.struct_size = size_of::<LayoutRow>() as u32;
        if unsafe { roofline_layout_at(index, &mut row, null_mut()) } == OK {
            let place = (row.offset_bytes as usize, row.size_bytes as usize);
            rows.insert((text(&row.struct_name), text(&row.field)), place);
        }
    }
    rows
}

/// A field that is known must be where it is expected; the library's struct may have more.
fn check_struct<T: Known>(rows: &Layout, checks: &mut Checks) {
    let place = |field: &str| rows.get(&(T::NAME.to_string(), field.to_string())).copied();
    let large_enough = place("").is_some_and(|(_, size)| size >= size_of::<T>());
    checks.that(
        &format!("{} is known and large enough", T::NAME),
        large_enough,
    );
    for (field, offset, size) in T::fields() {
        checks.that(
            &format!("{}.{field} is where it is expected", T::NAME),
            place(field) == Some((offset, size)),
        );
    }
}

fn near(actual: f64, expected: f64) -> bool {
    (actual - expected).abs() < 1e-12 * expected
}

fn price(config: &str, checks: &mut Checks) {
    let (mut device, mut model, mut plan) = (null_mut(), null_mut(), null_mut());
    let mut error = zero::<Error>();
    let config = CString::new(config).expect("a path has no NUL");
    let opened = unsafe { roofline_device_open(c"h100-sxm".as_ptr(), &mut device, &mut error) };
    checks.that("a device opens", opened == OK);
    let loaded = unsafe { roofline_model_load(config.as_ptr(), &mut model, &mut error) };
    checks.that("a model loads", loaded == OK);
    let mut deployment = zero::<Deployment>();
    let written = unsafe { roofline_deployment_init(&mut deployment, size_of::<Deployment>()) };
    checks.that("defaults are written", written == OK);
    deployment.traffic = STREAMED;
    let compiled = unsafe { roofline_plan_new(device, model, &deployment, &mut plan, &mut error) };
    checks.that("a plan compiles", compiled == OK);

    let decode = Sequences {
        struct_size: 0,
        padding: 0,
        count: 8,
        new_tokens: 1,
        context_tokens: 8192,
        logit_rows: 0,
    };
    let mut step = zero::<Step>();
    step.struct_size = size_of::<Step>() as u32;
    let row_bytes = size_of::<Sequences>();
    let priced =
        unsafe { roofline_step_groups(plan, &decode, 1, row_bytes, &mut step, &mut error) };
    checks.that("a step is priced", priced == OK);
    // weights 15,009,316,864 B and 8 * 8192 tokens of 131,072 B, at 3.35 TB/s; no product is compute-bound
    let expected = (15_009_316_864.0 + 8.0 * 8192.0 * 131_072.0) / 3.35e12;
    checks.that(
        "its time is the hand derivation's",
        near(step.kernel_s, expected),
    );

    let mut rows = [zero::<Kernel>(); 16];
    let mut count = 0;
    let kernel_bytes = size_of::<Kernel>();
    let (table, capacity) = (rows.as_mut_ptr(), rows.len());
    let read = unsafe {
        roofline_step_kernels(
            plan,
            &decode,
            1,
            row_bytes,
            table,
            capacity,
            kernel_bytes,
            &mut count,
            &mut error,
        )
    };
    checks.that("the kernel table is read", read == OK && count > 1);
    let total = rows[..count].iter().map(|row| row.bound_s).sum();
    checks.that("its rows add up to the step", near(total, step.kernel_s));

    deployment.memory_fraction = 2.0;
    let mut refused = null_mut();
    let status = unsafe { roofline_plan_new(device, model, &deployment, &mut refused, &mut error) };
    checks.that(
        "a bad field is refused",
        status == RANGE && refused.is_null(),
    );
    checks.that(
        "a bad field is named",
        text(&error.path) == "roofline_deployment.memory_fraction",
    );
    let status = unsafe { roofline_step_groups(plan, null(), 1, row_bytes, &mut step, null_mut()) };
    checks.that("an error needs no error object", status < 0);
    unsafe {
        roofline_plan_free(plan);
        roofline_device_free(device);
        roofline_model_free(model);
    }
}

fn provoke(checks: &mut Checks) {
    let json = r#"{"schema": "roofline-device/1", "name": "x", "memory_bytes": 1, "memory_bytes_per_s": 1,
        "peaks_flops": {"bf16": -1}}"#;
    let mut device = null_mut();
    let mut error = zero::<Error>();
    let status =
        unsafe { roofline_device_parse(json.as_ptr().cast(), json.len(), &mut device, &mut error) };
    checks.that(
        "a bad value in JSON is refused",
        status == RANGE && device.is_null(),
    );
    checks.that(
        "a bad value in JSON is named by its path",
        text(&error.path) == "/peaks_flops/bf16",
    );
}

fn main() {
    let mut checks = Checks::default();
    checks.that(
        "the ABI is the one that this client knows",
        unsafe { roofline_abi_version() } == 0,
    );
    let rows = layout();
    check_struct::<LayoutRow>(&rows, &mut checks);
    check_struct::<Error>(&rows, &mut checks);
    check_struct::<Deployment>(&rows, &mut checks);
    check_struct::<Sequences>(&rows, &mut checks);
    check_struct::<Step>(&rows, &mut checks);
    check_struct::<Kernel>(&rows, &mut checks);
    let config = std::env::args().nth(1).expect("usage: client CONFIG");
    price(&config, &mut checks);
    provoke(&mut checks);
    println!("rust: {} passed, {} failed", checks.passed, checks.failed);
    std::process::exit(i32::from(checks.failed > 0));
}

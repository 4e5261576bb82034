// A model of open size, which the build script fixes to two rows.
mod open {
    include!(concat!(env!("OUT_DIR"), "/open.rs"));
}

fn main() -> Result<(), String> {
    let mut y = [0.0; 4];
    open::Model::new().run(&[1.0, 2.0, 3.0, 4.0], &mut y)?;
    assert_eq!(y, [-1.0, -2.0, -3.0, -4.0]);
    Ok(())
}

// A model whose ports are called like words of Rust, of several types.
mod words {
    include!(concat!(env!("OUT_DIR"), "/words.rs"));
}

fn main() -> Result<(), String> {
    let mut model = words::Model::default();
    let (mut range, mut fn_, mut status) = ([0; 4], [false; 3], [0.0; 2]);
    model.run(&[1, 2, 3, 4], &[true, false, true], &[0.5], &[3.0, -1.0], &mut range, &mut fn_, &mut status)?;
    assert_eq!((range, fn_, status), ([2, 4, 6, 8], [false, true, false], [1.5, -0.5]));
    Ok(())
}

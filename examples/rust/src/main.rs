// Which flower is this? The network of examples/01_mlp, which build.rs compiles.
mod flowers {
    include!(concat!(env!("OUT_DIR"), "/flowers.rs"));
}

fn main() -> Result<(), String> {
    let names = ["setosa", "versicolor", "virginica"];
    let mut probability = [0.0; 3];
    flowers::Model::new().run(&[6.1, 2.9, 4.7, 1.4], &mut probability)?;
    let best = (0..3).max_by(|&a, &b| probability[a].total_cmp(&probability[b])).unwrap();
    println!("It is a {} ({:.1} %).", names[best], 100.0 * probability[best]);
    Ok(())
}

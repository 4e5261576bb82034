// The encoder on four ranks of MPI: mpirun -n 4 ./ranks_mpi
#include "encoder.hpp"
#include "mpi_devices.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != kDevices) {
    if (rank == 0) std::fprintf(stderr, "wants %d ranks: mpirun -n %d\n", kDevices, kDevices);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MpiLink link;
  const Tensor x = example_input();
  Tensor y(ENCODER_OUTPUT_Y_SIZE);
  const int status =
      encoder_part(rank, x, y, [&](auto devices) { return mpi_devices<decltype(devices)>(link); });
  if (status != 0) {
    std::fprintf(stderr, "rank %d: status %d\n", rank, status);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  const bool good = rank != 0 || report(x, y, link.bytes_sent, link.messages);
  MPI_Finalize();
  return good ? 0 : 1;
}

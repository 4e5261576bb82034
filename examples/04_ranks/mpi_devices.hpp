// mpi_devices.hpp - the other devices of a model as ranks of MPI.
#pragma once

#include <climits>
#include <cstddef>
#include <cstdint>

#include <mpi.h>

struct MpiLink {
  MPI_Comm comm = MPI_COMM_WORLD;
  double seconds = 10;  // that a message may take
  std::size_t bytes_sent = 0, messages = 0;
};

// False if the message does not get through in time.
inline bool complete(MpiLink& link, MPI_Request& request, MPI_Status& status) {
  const double end = MPI_Wtime() + link.seconds;
  for (int done = 0; done == 0;) {
    if (MPI_Test(&request, &done, &status) != MPI_SUCCESS) return false;
    if (done == 0 && MPI_Wtime() > end) return MPI_Cancel(&request), false;
  }
  return true;
}

inline int mpi_send(void* context, int device, std::uint32_t tag, const void* data,
                    std::size_t bytes) {
  MpiLink& link = *static_cast<MpiLink*>(context);
  if (bytes > INT_MAX) return 1;
  MPI_Request request;
  MPI_Status status;
  if (MPI_Isend(data, static_cast<int>(bytes), MPI_BYTE, device, static_cast<int>(tag & 0x7fff),
                link.comm, &request) != MPI_SUCCESS)
    return 1;
  link.bytes_sent += bytes;
  ++link.messages;
  return complete(link, request, status) ? 0 : 1;
}

inline int mpi_receive(void* context, int device, std::uint32_t tag, void* data,
                       std::size_t bytes) {
  MpiLink& link = *static_cast<MpiLink*>(context);
  if (bytes > INT_MAX) return 1;
  MPI_Request request;
  MPI_Status status;
  if (MPI_Irecv(data, static_cast<int>(bytes), MPI_BYTE, device, static_cast<int>(tag & 0x7fff),
                link.comm, &request) != MPI_SUCCESS)
    return 1;
  int count = 0;
  if (!complete(link, request, status)) return 1;
  return MPI_Get_count(&status, MPI_BYTE, &count) == MPI_SUCCESS &&
                 static_cast<std::size_t>(count) == bytes
             ? 0
             : 1;
}

// Devices: the type of a model's program, such as encoder_0_devices.
template <class Devices>
Devices mpi_devices(MpiLink& link) {
  return {mpi_send, mpi_receive, nullptr, &link};
}

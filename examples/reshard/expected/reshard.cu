// Made by tcpc from reshard.tcp for sm_80: change the plan, not this file.
#include "tcp_device.cuh"
#include "tcp_mesh.cuh"
#ifndef __CUDACC_RTC__
#include "tcp_mesh_launch.h"
#endif

#if TCP_RUNTIME_VERSION != 2
#error "this file needs version 2 of the tcpc runtime"
#endif

// kernel to_columns, reshard.tcp:9
//   grid (M/2,ceil_div(N,4096),4), 256 threads, 0 bytes of shared memory
static __global__ void __launch_bounds__(256)
to_columns_kernel(const tcp_f16 *__restrict__ by_rows, tcp_f16 *__restrict__ columns_own, int M,
        int N, const tcp_mesh_call mesh) {
    const int tid = (int)threadIdx.x;
    const int block_x = (int)blockIdx.x;
    const int block_y = (int)blockIdx.y;
    const int block_z = (int)mesh.rank;
    const int64_t by_rows_apart = 0;  // each part has its own address
    const int64_t columns_apart = 0;  // each part has its own address
    if (!tcp_mesh_begin(mesh)) return;
    tcp_f16 *const columns = tcp_mesh_at(mesh, 0, (block_z + block_x % 4) % 4, columns_own);
    const int rank_0 = block_z;
    const int piece_0 = block_x % 4;
    const int block_0 = block_x / 4;
    const int d1_0 = (rank_0 + piece_0) % 4;
    const int c1_0 = block_y;
    const int t0 = tid / 128;  // along mode 0
    const int t1 = tid % 128;  // along mode 1, by 8
    // copy local_tile(from_0, (2,1024), (c0_0, c1_0)) -> local_tile(to_0, (2,1024), (c0_0, c1_0))
    //   <plan of to_columns>:14
    //   tile    (2,1024) f16   threads 256   atom universal(128)
    //   tiler   (2,1024)   rounds (1,1)   TV ((128,2),8):((16,1),2)
    //   vector  8 x f16 = 128 bit
    //   edge    8 x f16 = 128 bit, where
    //           1024*block.y + 8*(tid % 128) < N/4 along mode 3 of both sides
    const int64_t at_by_rows = by_rows_apart * rank_0 + 2 * (int64_t)N * block_0 +
            (int64_t)N / 4 * d1_0 + 1024 * c1_0 + N * t0 + 8 * t1;
    const int64_t at_columns = (int64_t)M * N / 16 * rank_0 + (int64_t)N / 2 * block_0 +
            columns_apart * d1_0 + 1024 * c1_0 + N / 4 * t0 + 8 * t1;
    if (1024 * c1_0 + 8 * t1 < N / 4) {
        tcp_st_global_128(&columns[at_columns], tcp_ld_global_nc_128(&by_rows[at_by_rows]));
    }
    tcp_mesh_end(mesh);
}

// kernel transposed, reshard.tcp:13
//   grid (M/64,N/256,4), 256 threads, 8304 bytes of shared memory
static __global__ void __launch_bounds__(256)
transposed_kernel(const tcp_f16 *__restrict__ by_rows, tcp_f16 *__restrict__ turned_own, int M,
        int N, const tcp_mesh_call mesh) {
    TCP_SHARED_BUFFER(smem);
    tcp_f16 *const s_0 = (tcp_f16 *)smem;  // (64,(8,8)):(1,(64,520))
    alignas(16) tcp_f16 r_0[16];  // (16,1,1):(1,0,0)
    const int tid = (int)threadIdx.x;
    const int block_x = (int)blockIdx.x;
    const int block_y = (int)blockIdx.y;
    const int block_z = (int)mesh.rank;
    const int64_t by_rows_apart = 0;  // each part has its own address
    const int64_t turned_apart = 0;  // each part has its own address
    if (!tcp_mesh_begin(mesh)) return;
    tcp_f16 *const turned = tcp_mesh_at(mesh, 0, (block_z + block_x % 4) % 4, turned_own);
    const int rank_0 = block_z;
    const int piece_0 = block_x % 4;
    const int block_0 = block_x / 4;
    const int d1_0 = (rank_0 + piece_0) % 4;
    const int c1_0 = block_y;
    const int t0 = tid / 8;  // by_rows: along mode 0, by 2; turned: along mode 1
    const int t1 = tid % 8;  // by_rows: along mode 1, by 8; turned: along mode 0, by 8
    const int t2 = tid / 64;  // along mode 1, by 8
    const int t3 = tid % 64;
    // copy local_tile(from_0, (64,64), (c0_0, c1_0)) -> r_0       <plan of transposed>:19
    //   tile    (64,64) f16   threads 256   atom universal(128)
    //   tiler   (64,64)   rounds (1,1)   TV ((8,32),(8,2)):((512,2),(64,1))
    //   vector  8 x f16 = 128 bit
    {
        const int64_t at_by_rows = by_rows_apart * rank_0 + 64 * (int64_t)N * block_0 +
                (int64_t)N / 4 * d1_0 + 64 * c1_0 + 2 * N * t0 + 8 * t1;
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            tcp_st_frag_128(&r_0[8 * i],
                    tcp_ld_global_nc_128(&by_rows[at_by_rows + (int64_t)N * i]));
        }
    }
    // copy r_0 -> s_0                                             <plan of transposed>:20
    //   tile    (64,(8,8)) f16   threads 256   atom universal(32)
    //   tiler   (64,64)   rounds (1,1)   TV ((8,32),(8,2)):((512,2),(64,1))
    //   vector  2 x f16 = 32 bit
    //   gather  2 x f16 of r_0, 8 apart
    {
        const int at_s_0 = 2 * t0 + 520 * t1;
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            tcp_st_shared_32(&s_0[at_s_0 + 64 * i], tcp_gather_32<16, 8>(r_0, i));
        }
    }
    tcp_sync();
    // copy s_0 -> local_tile(to_0, (64,64), (c0_0, c1_0))         <plan of transposed>:21
    //   tile    (64,(8,8)) f16   threads 256   atom universal(128)
    //   tiler   (64,32)   rounds (1,2)   TV (256,8):(8,1)
    //   vector  8 x f16 = 128 bit
    {
        const int at_s_0 = 520 * t2 + 8 * t3;
        const int64_t at_turned = (int64_t)M / 4 * rank_0 + 64 * block_0 + turned_apart * d1_0 +
                64 * (int64_t)M * c1_0 + M * t0 + 8 * t1;
        tcp_b128 v[2];
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            v[i] = tcp_ld_shared_128(&s_0[at_s_0 + 2080 * i]);
        }
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            tcp_st_global_128(&turned[at_turned + 32 * (int64_t)M * i], v[i]);
        }
    }
    tcp_mesh_end(mesh);
}

// kernel heads, reshard.tcp:19
//   grid (4*B,ceil_div(S,2),4), 256 threads, 0 bytes of shared memory
static __global__ void __launch_bounds__(256)
heads_kernel(const tcp_bf16 *__restrict__ X, tcp_bf16 *__restrict__ Y_own, int S,
        const tcp_mesh_call mesh) {
    const int tid = (int)threadIdx.x;
    const int block_x = (int)blockIdx.x;
    const int block_y = (int)blockIdx.y;
    const int block_z = (int)mesh.rank;
    const int64_t X_apart = 0;  // each part has its own address
    const int64_t Y_apart = 0;  // each part has its own address
    if (!tcp_mesh_begin(mesh)) return;
    tcp_bf16 *const Y = tcp_mesh_at(mesh, 0, (block_z + block_x % 4) % 4, Y_own);
    const int rank_0 = block_z;
    const int piece_0 = block_x % 4;
    const int block_0 = block_x / 4;
    const int d1_0 = (rank_0 + piece_0) % 4;
    const int c1_0 = block_y;
    const int t0 = tid / 8;  // along mode 1
    const int t1 = tid % 8;  // along mode 3, by 8
    // copy local_tile(from_0, (1,32,2,64), (c0_0, c1_0, 0, 0)) ->
    //     local_tile(to_0, (1,32,2,64), (c0_0, c1_0, 0, 0))
    //   <plan of heads>:14
    //   tile    (1,32,2,64) bf16   threads 256   atom universal(128, ld=L2.evict_last)
    //   tiler   (1,32,2,64)   rounds (1,1,1,1)   TV ((8,32),(8,2)):((512,1),(64,32))
    //   vector  8 x bf16 = 128 bit
    //   edge    8 x bf16 = 128 bit, where
    //           32*block.y + tid / 8 < 16*S along mode 3 of both sides
    const int64_t at_X = X_apart * rank_0 + 8192 * (int64_t)S * block_0 + 128 * d1_0 +
            16384 * c1_0 + 512 * t0 + 8 * t1;
    const int64_t at_Y = 8 * (int64_t)tid + 1024 * (int64_t)S * rank_0 +
            8192 * (int64_t)S * block_0 + Y_apart * d1_0 + 2048 * c1_0;
    const bool whole = 32 * c1_0 + 31 < 16 * S;
    if (whole) {
        tcp_b128 v[2];
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            v[i] = tcp_ld_global_nc_128<TCP_L2_EVICT_LAST>(&X[at_X + 64 * i]);
        }
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            tcp_st_global_128(&Y[at_Y + 4096 * (int64_t)S * i], v[i]);
        }
    } else {
        const int coord0 = 32 * c1_0 + t0;
        tcp_b128 v[2];
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            if (coord0 < 16 * S) {
                v[i] = tcp_ld_global_nc_128<TCP_L2_EVICT_LAST>(&X[at_X + 64 * i]);
            }
        }
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            if (coord0 < 16 * S) {
                tcp_st_global_128(&Y[at_Y + 4096 * (int64_t)S * i], v[i]);
            }
        }
    }
    tcp_mesh_end(mesh);
}

// kernel weights, reshard.tcp:25
//   grid (M/2,ceil_div(N,4096),4), 512 threads, 0 bytes of shared memory
static __global__ void __launch_bounds__(512)
weights_kernel(const float *__restrict__ trained, tcp_bf16 *__restrict__ served_own, int N,
        const tcp_mesh_call mesh) {
    const int tid = (int)threadIdx.x;
    const int block_x = (int)blockIdx.x;
    const int block_y = (int)blockIdx.y;
    const int block_z = (int)mesh.rank;
    const int64_t trained_apart = 0;  // each part has its own address
    const int64_t served_apart = 0;  // each part has its own address
    if (!tcp_mesh_begin(mesh)) return;
    tcp_bf16 *const served = tcp_mesh_at(mesh, 0,
            block_z / 2 + 2 * ((block_z / 2 + block_x % 2) % 2), served_own);
    const int rank_0 = block_z;
    const int piece_0 = block_x % 2;
    const int block_0 = block_x / 2;
    const int d0_0 = rank_0 / 2;
    const int d1_0 = rank_0 % 2;
    const int d2_0 = (piece_0 + d0_0) % 2;
    const int c1_0 = block_y;
    // copy local_tile(from_0, (2,2048), (c0_0, c1_0)) -> local_tile(to_0, (2,2048), (c0_0, c1_0))
    //   <plan of weights>:15
    //   tile    (2,2048) f32   threads 512   atom universal(128)
    //   tiler   (2,2048)   rounds (1,1)   TV (512,(4,2)):(8,(2,1))
    //   vector  4 x f32 = 128 bit -> 4 x bf16 = 64 bit  (limited by: conversion)
    //   edge    4 x f32 = 128 bit, where
    //           4*tid + 2048*block.y < N/2 along mode 4 of both sides
    const int64_t at_trained = 4 * (int64_t)tid + trained_apart * rank_0 + (int64_t)N * block_0 +
            2048 * c1_0;
    const int64_t at_served = 4 * (int64_t)tid + 2 * (int64_t)N * block_0 + served_apart * d0_0 +
            (int64_t)N / 2 * d1_0 + 2 * served_apart * d2_0 + 2048 * c1_0;
    const bool whole = 2048 * c1_0 + 2047 < N / 2;
    if (whole) {
        tcp_b128 v[2];
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            v[i] = tcp_ld_global_nc_128(&trained[at_trained + (int64_t)N / 2 * i]);
        }
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            tcp_st_global_64(&served[at_served + (int64_t)N * i],
                    tcp_convert<tcp_bf16, float>(v[i]));
        }
    } else {
        const int coord0 = 4 * tid + 2048 * c1_0;
        tcp_b128 v[2];
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            if (coord0 < N / 2) {
                v[i] = tcp_ld_global_nc_128(&trained[at_trained + (int64_t)N / 2 * i]);
            }
        }
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            if (coord0 < N / 2) {
                tcp_st_global_64(&served[at_served + (int64_t)N * i],
                        tcp_convert<tcp_bf16, float>(v[i]));
            }
        }
    }
    tcp_mesh_end(mesh);
}

#ifndef __CUDACC_RTC__

// No tensor that the kernel writes may overlap another one. While the kernel runs, no other code
// may write by_rows, or read or write columns.
TCP_EXTERN_C tcp_status to_columns_launch(const tcp_f16 *by_rows, tcp_f16 *columns, int64_t M,
        int64_t N, tcp_mesh *mesh, tcp_stream stream) {
    TCP_CHECK(tcp_check_range("to_columns", "M", M, 512, 999936));
    TCP_CHECK(tcp_check_multiple("to_columns", "M", M, 512));
    TCP_CHECK(tcp_check_range("to_columns", "N", N, 512, 999936));
    TCP_CHECK(tcp_check_multiple("to_columns", "N", N, 512));
    TCP_CHECK(tcp_check_tensor("to_columns", "by_rows", by_rows, 128));
    TCP_CHECK(tcp_check_tensor("to_columns", "columns", columns, 128));
    TCP_CHECK(tcp_check_distinct("to_columns", "by_rows", by_rows, 0, M * N / 2, "columns", columns,
            0, M * N / 2));
    tcp_mesh_call mesh_call;
    TCP_CHECK(tcp_mesh_enter("to_columns", mesh, 4, &mesh_call));
    TCP_CHECK(tcp_mesh_tensor("to_columns", "columns", mesh, &mesh_call, columns,
            (size_t)(M * N / 2)));
    tcp_mesh_mix(&mesh_call, 0xad4a7685f0914cef);
    tcp_mesh_mix(&mesh_call, (uint64_t)M);
    tcp_mesh_mix(&mesh_call, (uint64_t)N);
    return TCP_MESH_LAUNCH(to_columns_kernel, tcp_blocks(M / 2, (N + 4095) / 4096, 1), 256, 0,
            stream, mesh, by_rows, columns, (int)M, (int)N, mesh_call);
}

// No tensor that the kernel writes may overlap another one. While the kernel runs, no other code
// may write by_rows, or read or write turned.
TCP_EXTERN_C tcp_status transposed_launch(const tcp_f16 *by_rows, tcp_f16 *turned, int64_t M,
        int64_t N, tcp_mesh *mesh, tcp_stream stream) {
    TCP_CHECK(tcp_check_range("transposed", "M", M, 512, 999936));
    TCP_CHECK(tcp_check_multiple("transposed", "M", M, 512));
    TCP_CHECK(tcp_check_range("transposed", "N", N, 512, 999936));
    TCP_CHECK(tcp_check_multiple("transposed", "N", N, 512));
    TCP_CHECK(tcp_check_tensor("transposed", "by_rows", by_rows, 128));
    TCP_CHECK(tcp_check_tensor("transposed", "turned", turned, 128));
    TCP_CHECK(tcp_check_distinct("transposed", "by_rows", by_rows, 0, M * N / 2, "turned", turned,
            0, M * N / 2));
    tcp_mesh_call mesh_call;
    TCP_CHECK(tcp_mesh_enter("transposed", mesh, 4, &mesh_call));
    TCP_CHECK(tcp_mesh_tensor("transposed", "turned", mesh, &mesh_call, turned,
            (size_t)(M * N / 2)));
    tcp_mesh_mix(&mesh_call, 0xf9284de24ede61b3);
    tcp_mesh_mix(&mesh_call, (uint64_t)M);
    tcp_mesh_mix(&mesh_call, (uint64_t)N);
    return TCP_MESH_LAUNCH(transposed_kernel, tcp_blocks(M / 64, N / 256, 1), 256, 8304, stream,
            mesh, by_rows, turned, (int)M, (int)N, mesh_call);
}

// No tensor that the kernel writes may overlap another one. While the kernel runs, no other code
// may write X, or read or write Y.
TCP_EXTERN_C tcp_status heads_launch(const tcp_bf16 *X, tcp_bf16 *Y, int64_t B, int64_t S,
        tcp_mesh *mesh, tcp_stream stream) {
    TCP_CHECK(tcp_check_range("heads", "B", B, 1, 100000));
    TCP_CHECK(tcp_check_range("heads", "S", S, 1, 100000));
    TCP_CHECK(tcp_check_tensor("heads", "X", X, 128));
    TCP_CHECK(tcp_check_tensor("heads", "Y", Y, 128));
    TCP_CHECK(tcp_check_distinct("heads", "X", X, 0, 16384 * B * S, "Y", Y, 0, 16384 * B * S));
    tcp_mesh_call mesh_call;
    TCP_CHECK(tcp_mesh_enter("heads", mesh, 4, &mesh_call));
    TCP_CHECK(tcp_mesh_tensor("heads", "Y", mesh, &mesh_call, Y, (size_t)(16384 * B * S)));
    tcp_mesh_mix(&mesh_call, 0xa41399a6c50ddafd);
    tcp_mesh_mix(&mesh_call, (uint64_t)B);
    tcp_mesh_mix(&mesh_call, (uint64_t)S);
    return TCP_MESH_LAUNCH(heads_kernel, tcp_blocks(4 * B, (S + 1) / 2, 1), 256, 0, stream, mesh, X,
            Y, (int)S, mesh_call);
}

// No tensor that the kernel writes may overlap another one. While the kernel runs, no other code
// may write trained, or read or write served.
TCP_EXTERN_C tcp_status weights_launch(const float *trained, tcp_bf16 *served, int64_t M, int64_t N,
        tcp_mesh *mesh, tcp_stream stream) {
    TCP_CHECK(tcp_check_range("weights", "M", M, 512, 999936));
    TCP_CHECK(tcp_check_multiple("weights", "M", M, 512));
    TCP_CHECK(tcp_check_range("weights", "N", N, 512, 999936));
    TCP_CHECK(tcp_check_multiple("weights", "N", N, 512));
    TCP_CHECK(tcp_check_tensor("weights", "trained", trained, 128));
    TCP_CHECK(tcp_check_tensor("weights", "served", served, 128));
    TCP_CHECK(tcp_check_distinct("weights", "trained", trained, 0, M * N, "served", served, 0,
            M * N));
    tcp_mesh_call mesh_call;
    TCP_CHECK(tcp_mesh_enter("weights", mesh, 4, &mesh_call));
    TCP_CHECK(tcp_mesh_tensor("weights", "served", mesh, &mesh_call, served, (size_t)(M * N)));
    tcp_mesh_mix(&mesh_call, 0xcebf4ff7f75d3f79);
    tcp_mesh_mix(&mesh_call, (uint64_t)M);
    tcp_mesh_mix(&mesh_call, (uint64_t)N);
    return TCP_MESH_LAUNCH(weights_kernel, tcp_blocks(M / 2, (N + 4095) / 4096, 1), 512, 0, stream,
            mesh, trained, served, (int)N, mesh_call);
}

#endif

;; Unpacks what Parquet packs: see unpacker.ts for who calls. The bytes of it as a module are in unpack_module.ts; a test holds both together. What is damaged leads to a trap.
;; Up to 32 bytes behind what is read may be read too, and as many behind what is written may be written.
(module
  (import "unpacker" "memory" (memory 1))

  ;; A raw Snappy block at [at, end) to `to`, where there is room for so many bytes; says how many they are.
  (func (export "snappy") (param $at i32) (param $end i32) (param $to i32) (param $room i32) (result i32)
    (local $start i32) (local $stop i32) (local $tag i32) (local $run i32) (local $back i32) (local $from i32) (local $last i32) (local $shift i32)
    (local.set $start (local.get $to))
    (loop $length
      (if (i32.or (i32.ge_u (local.get $at) (local.get $end)) (i32.gt_u (local.get $shift) (i32.const 28))) (then (unreachable)))
      (local.set $tag (i32.load8_u (local.get $at)))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (local.set $run (i32.or (local.get $run) (i32.shl (i32.and (local.get $tag) (i32.const 127)) (local.get $shift))))
      (local.set $shift (i32.add (local.get $shift) (i32.const 7)))
      (br_if $length (i32.ge_u (local.get $tag) (i32.const 128))))
    (if (i32.gt_u (local.get $run) (local.get $room)) (then (unreachable)))
    (local.set $stop (i32.add (local.get $to) (local.get $run)))
    (block $done
      (loop $step
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $tag (i32.load8_u (local.get $at)))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (if (i32.eqz (i32.and (local.get $tag) (i32.const 3)))
          (then
            ;; Bytes that stand here. More than 60 say in 1 to 4 bytes of their own how many they are.
            (local.set $run (i32.add (i32.shr_u (local.get $tag) (i32.const 2)) (i32.const 1)))
            (if (i32.gt_u (local.get $run) (i32.const 60))
              (then
                (local.set $shift (i32.sub (local.get $run) (i32.const 60)))
                (local.set $run (i32.add (i32.const 1) (i32.and (i32.load align=1 (local.get $at)) (i32.shr_u (i32.const -1) (i32.sub (i32.const 32) (i32.shl (local.get $shift) (i32.const 3)))))))
                (local.set $at (i32.add (local.get $at) (local.get $shift)))
                (if (i32.gt_u (local.get $at) (local.get $end)) (then (unreachable)))))
            (if (i32.ge_u (i32.sub (local.get $run) (i32.const 1)) (i32.sub (local.get $end) (local.get $at))) (then (unreachable)))
            (local.set $from (local.get $at))
            (local.set $at (i32.add (local.get $at) (local.get $run)))
            (local.set $back (i32.const 16)))
          (else
            ;; Bytes that came before.
            (local.set $run (i32.add (i32.shr_u (local.get $tag) (i32.const 2)) (i32.const 1)))
            (if (i32.eq (i32.and (local.get $tag) (i32.const 3)) (i32.const 1))
              (then
                (local.set $run (i32.add (i32.and (i32.shr_u (local.get $tag) (i32.const 2)) (i32.const 7)) (i32.const 4)))
                (local.set $back (i32.or (i32.shl (i32.shr_u (local.get $tag) (i32.const 5)) (i32.const 8)) (i32.load8_u (local.get $at))))
                (local.set $at (i32.add (local.get $at) (i32.const 1))))
              (else
                (if (i32.eq (i32.and (local.get $tag) (i32.const 3)) (i32.const 2))
                  (then
                    (local.set $back (i32.load16_u align=1 (local.get $at)))
                    (local.set $at (i32.add (local.get $at) (i32.const 2))))
                  (else
                    (local.set $back (i32.load align=1 (local.get $at)))
                    (local.set $at (i32.add (local.get $at) (i32.const 4)))))))
            (if (i32.gt_u (local.get $at) (local.get $end)) (then (unreachable)))
            (if (i32.ge_u (i32.sub (local.get $back) (i32.const 1)) (i32.sub (local.get $to) (local.get $start))) (then (unreachable)))
            (local.set $from (i32.sub (local.get $to) (local.get $back)))))
        (if (i32.gt_u (local.get $run) (i32.sub (local.get $stop) (local.get $to))) (then (unreachable)))
        (local.set $last (i32.add (local.get $to) (local.get $run)))
        ;; A run may reach into itself: then what it copies is being written meanwhile.
        (if (i32.ge_u (local.get $back) (i32.const 16))
          (then
            (loop $more
              (v128.store align=1 (local.get $to) (v128.load align=1 (local.get $from)))
              (local.set $to (i32.add (local.get $to) (i32.const 16)))
              (local.set $from (i32.add (local.get $from) (i32.const 16)))
              (br_if $more (i32.lt_u (local.get $to) (local.get $last)))))
          (else
            (loop $more
              (i32.store8 (local.get $to) (i32.load8_u (local.get $from)))
              (local.set $to (i32.add (local.get $to) (i32.const 1)))
              (local.set $from (i32.add (local.get $from) (i32.const 1)))
              (br_if $more (i32.lt_u (local.get $to) (local.get $last))))))
        (local.set $to (local.get $last))
        (br $step)))
    (if (i32.ne (local.get $to) (local.get $stop)) (then (unreachable)))
    (i32.sub (local.get $to) (local.get $start)))

  ;; Numbers of `width` bits, as levels and the numbers of a dictionary are packed: runs of one number, and groups of eight that lie bit by bit, the lowest bit first. As many as
  ;; stand at [at, end), at most `count`, to `to`, 4 bytes each; says how many.
  (func (export "numbers") (param $at i32) (param $end i32) (param $width i32) (param $count i32) (param $to i32) (result i32)
    (local $start i32) (local $stop i32) (local $last i32) (local $head i32) (local $shift i32) (local $byte i32) (local $mask i32) (local $bit i64)
    (if (i32.gt_u (local.get $width) (i32.const 24)) (then (unreachable)))
    (local.set $mask (i32.sub (i32.shl (i32.const 1) (local.get $width)) (i32.const 1)))
    (local.set $start (local.get $to))
    (local.set $stop (i32.add (local.get $to) (i32.shl (local.get $count) (i32.const 2))))
    (block $done
      (loop $run
        (br_if $done (i32.or (i32.ge_u (local.get $at) (local.get $end)) (i32.ge_u (local.get $to) (local.get $stop))))
        (local.set $head (i32.const 0))
        (local.set $shift (i32.const 0))
        (loop $length
          (if (i32.or (i32.ge_u (local.get $at) (local.get $end)) (i32.gt_u (local.get $shift) (i32.const 28))) (then (unreachable)))
          (local.set $byte (i32.load8_u (local.get $at)))
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (local.set $head (i32.or (local.get $head) (i32.shl (i32.and (local.get $byte) (i32.const 127)) (local.get $shift))))
          (local.set $shift (i32.add (local.get $shift) (i32.const 7)))
          (br_if $length (i32.ge_u (local.get $byte) (i32.const 128))))
        ;; Numbers of the run.
        (local.set $byte (i32.shr_u (local.get $head) (i32.const 1)))
        (if (i32.and (local.get $head) (i32.const 1))
          (then
            (if (i32.gt_u (local.get $byte) (i32.const 0xfffffff)) (then (unreachable)))
            (local.set $byte (i32.shl (local.get $byte) (i32.const 3)))))
        (if (i32.eqz (local.get $byte)) (then (unreachable)))
        (local.set $last (i32.shr_u (i32.sub (local.get $stop) (local.get $to)) (i32.const 2)))
        (local.set $last (i32.add (local.get $to) (i32.shl (select (local.get $byte) (local.get $last) (i32.lt_u (local.get $byte) (local.get $last))) (i32.const 2))))
        (if (i32.and (local.get $head) (i32.const 1))
          (then
            (local.set $bit (i64.shl (i64.extend_i32_u (local.get $at)) (i64.const 3)))
            (local.set $at (i32.add (local.get $at) (i32.mul (i32.shr_u (local.get $byte) (i32.const 3)) (local.get $width))))
            (loop $more
              (i32.store (local.get $to) (i32.and (local.get $mask)
                (i32.shr_u (i32.load align=1 (i32.wrap_i64 (i64.shr_u (local.get $bit) (i64.const 3)))) (i32.and (i32.wrap_i64 (local.get $bit)) (i32.const 7)))))
              (local.set $bit (i64.add (local.get $bit) (i64.extend_i32_u (local.get $width))))
              (local.set $to (i32.add (local.get $to) (i32.const 4)))
              (br_if $more (i32.lt_u (local.get $to) (local.get $last))))
            ;; The last group may be cut where its numbers end.
            (if (i64.gt_u (local.get $bit) (i64.shl (i64.extend_i32_u (local.get $end)) (i64.const 3))) (then (unreachable))))
          (else
            (local.set $byte (i32.and (local.get $mask) (i32.load align=1 (local.get $at))))
            (local.set $at (i32.add (local.get $at) (i32.shr_u (i32.add (local.get $width) (i32.const 7)) (i32.const 3))))
            (if (i32.gt_u (local.get $at) (local.get $end)) (then (unreachable)))
            (loop $more
              (i32.store (local.get $to) (local.get $byte))
              (local.set $to (i32.add (local.get $to) (i32.const 4)))
              (br_if $more (i32.lt_u (local.get $to) (local.get $last))))))
        (br $run)))
    (i32.shr_u (i32.sub (local.get $to) (local.get $start)) (i32.const 2)))
)

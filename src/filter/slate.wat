;; What is done to the bitmaps of one block of rows, sixteen bytes at a time: see wasm_slate.ts for what lies where and who calls. The bytes of it as
;; a module are in slate_module.ts; a test holds both together. Runs of bitmaps are multiples of sixteen bytes.
(module
  (memory (export "memory") 9)

  ;; Keeps of [to, end) what is at `from` too.
  (func (export "and") (param $to i32) (param $end i32) (param $from i32)
    (loop $next
      (v128.store (local.get $to) (v128.and (v128.load (local.get $to)) (v128.load (local.get $from))))
      (local.set $to (i32.add (local.get $to) (i32.const 16)))
      (local.set $from (i32.add (local.get $from) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $to) (local.get $end)))))

  ;; Keeps of [to, end) what is not at `from`.
  (func (export "andNot") (param $to i32) (param $end i32) (param $from i32)
    (loop $next
      (v128.store (local.get $to) (v128.andnot (v128.load (local.get $to)) (v128.load (local.get $from))))
      (local.set $to (i32.add (local.get $to) (i32.const 16)))
      (local.set $from (i32.add (local.get $from) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $to) (local.get $end)))))

  ;; Adds to [to, end) what is at `from`.
  (func (export "or") (param $to i32) (param $end i32) (param $from i32)
    (loop $next
      (v128.store (local.get $to) (v128.or (v128.load (local.get $to)) (v128.load (local.get $from))))
      (local.set $to (i32.add (local.get $to) (i32.const 16)))
      (local.set $from (i32.add (local.get $from) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $to) (local.get $end)))))

  ;; Sets in the bitmap at `to` the bits of the rows in [at, end), of two bytes each. Byte by byte: a word that was just written is not to be waited for.
  (func (export "orHalves") (param $to i32) (param $at i32) (param $end i32)
    (local $row i32) (local $byte i32)
    (loop $next
      (local.set $row (i32.load16_u (local.get $at)))
      (local.set $byte (i32.add (local.get $to) (i32.shr_u (local.get $row) (i32.const 3))))
      (i32.store8 (local.get $byte) (i32.or (i32.load8_u (local.get $byte)) (i32.shl (i32.const 1) (i32.and (local.get $row) (i32.const 7)))))
      (local.set $at (i32.add (local.get $at) (i32.const 2)))
      (br_if $next (i32.lt_u (local.get $at) (local.get $end)))))

  ;; The same of rows in [at, end), of one byte each, page behind page: those of the first, which end at `pageEnd`, in the bitmap at `to`. `counts`: where the number of its rows stands.
  (func (export "orPages") (param $to i32) (param $at i32) (param $end i32) (param $pageEnd i32) (param $counts i32)
    (local $row i32) (local $byte i32)
    (loop $page
      (block $done
        (br_if $done (i32.ge_u (local.get $at) (local.get $pageEnd)))
        (loop $next
          (local.set $row (i32.load8_u (local.get $at)))
          (local.set $byte (i32.add (local.get $to) (i32.shr_u (local.get $row) (i32.const 3))))
          (i32.store8 (local.get $byte) (i32.or (i32.load8_u (local.get $byte)) (i32.shl (i32.const 1) (i32.and (local.get $row) (i32.const 7)))))
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (br_if $next (i32.lt_u (local.get $at) (local.get $pageEnd)))))
      (local.set $to (i32.add (local.get $to) (i32.const 32)))
      (local.set $counts (i32.add (local.get $counts) (i32.const 1)))
      (local.set $pageEnd (i32.add (local.get $pageEnd) (i32.load8_u (local.get $counts))))
      (local.set $pageEnd (select (local.get $pageEnd) (local.get $end) (i32.lt_u (local.get $pageEnd) (local.get $end))))
      (br_if $page (i32.lt_u (local.get $at) (local.get $end)))))

  ;; How many bits of [at, end) are set.
  (func (export "count") (param $at i32) (param $end i32) (result i32)
    (local $sums v128)
    (loop $next
      (local.set $sums (i32x4.add (local.get $sums)
        (i32x4.extadd_pairwise_i16x8_u (i16x8.extadd_pairwise_i8x16_u (i8x16.popcnt (v128.load (local.get $at)))))))
      (local.set $at (i32.add (local.get $at) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $at) (local.get $end))))
    (i32.add
      (i32.add (i32x4.extract_lane 0 (local.get $sums)) (i32x4.extract_lane 1 (local.get $sums)))
      (i32.add (i32x4.extract_lane 2 (local.get $sums)) (i32x4.extract_lane 3 (local.get $sums)))))

  ;; Writes the number of each bit that is set in [at, end), the first having `row`, to the place `to`, up to the 64 bits that reach `limit`. Gives where they end.
  (func (export "list") (param $at i32) (param $end i32) (param $row i32) (param $to i32) (param $limit i32) (result i32)
    (local $word i64)
    (loop $next
      (local.set $word (i64.load (local.get $at)))
      (block $empty
        (br_if $empty (i64.eqz (local.get $word)))
        (loop $bit
          (i32.store (local.get $to) (i32.add (local.get $row) (i32.wrap_i64 (i64.ctz (local.get $word)))))
          (local.set $to (i32.add (local.get $to) (i32.const 4)))
          (local.set $word (i64.and (local.get $word) (i64.sub (local.get $word) (i64.const 1))))
          (br_if $bit (i64.ne (local.get $word) (i64.const 0)))))
      (local.set $row (i32.add (local.get $row) (i32.const 64)))
      (local.set $at (i32.add (local.get $at) (i32.const 8)))
      (br_if $next (i32.and (i32.lt_u (local.get $at) (local.get $end)) (i32.lt_u (local.get $to) (local.get $limit)))))
    (local.get $to))

  ;; Sets in [to, end) the bits of the codes at `from`, of one byte each, that are at most `width` above `low`.
  (func (export "within8") (param $to i32) (param $end i32) (param $from i32) (param $low i32) (param $width i32)
    (local $lows v128) (local $widths v128)
    (local.set $lows (i8x16.splat (local.get $low)))
    (local.set $widths (i8x16.splat (local.get $width)))
    (loop $next
      (i32.store16 (local.get $to) (i32.or (i32.load16_u (local.get $to))
        (i8x16.bitmask (i8x16.le_u (i8x16.sub (v128.load (local.get $from)) (local.get $lows)) (local.get $widths)))))
      (local.set $to (i32.add (local.get $to) (i32.const 2)))
      (local.set $from (i32.add (local.get $from) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $to) (local.get $end)))))

  ;; The same of codes of two bytes.
  (func (export "within16") (param $to i32) (param $end i32) (param $from i32) (param $low i32) (param $width i32)
    (local $lows v128) (local $widths v128)
    (local.set $lows (i16x8.splat (local.get $low)))
    (local.set $widths (i16x8.splat (local.get $width)))
    (loop $next
      (i32.store16 (local.get $to) (i32.or (i32.load16_u (local.get $to))
        (i8x16.bitmask (i8x16.narrow_i16x8_s
          (i16x8.le_u (i16x8.sub (v128.load (local.get $from)) (local.get $lows)) (local.get $widths))
          (i16x8.le_u (i16x8.sub (v128.load offset=16 (local.get $from)) (local.get $lows)) (local.get $widths))))))
      (local.set $to (i32.add (local.get $to) (i32.const 2)))
      (local.set $from (i32.add (local.get $from) (i32.const 32)))
      (br_if $next (i32.lt_u (local.get $to) (local.get $end)))))

  ;; The same of codes of four bytes.
  (func (export "within32") (param $to i32) (param $end i32) (param $from i32) (param $low i32) (param $width i32)
    (local $lows v128) (local $widths v128)
    (local.set $lows (i32x4.splat (local.get $low)))
    (local.set $widths (i32x4.splat (local.get $width)))
    (loop $next
      (i32.store16 (local.get $to) (i32.or (i32.load16_u (local.get $to))
        (i8x16.bitmask (i8x16.narrow_i16x8_s
          (i16x8.narrow_i32x4_s
            (i32x4.le_u (i32x4.sub (v128.load (local.get $from)) (local.get $lows)) (local.get $widths))
            (i32x4.le_u (i32x4.sub (v128.load offset=16 (local.get $from)) (local.get $lows)) (local.get $widths)))
          (i16x8.narrow_i32x4_s
            (i32x4.le_u (i32x4.sub (v128.load offset=32 (local.get $from)) (local.get $lows)) (local.get $widths))
            (i32x4.le_u (i32x4.sub (v128.load offset=48 (local.get $from)) (local.get $lows)) (local.get $widths)))))))
      (local.set $to (i32.add (local.get $to) (i32.const 2)))
      (local.set $from (i32.add (local.get $from) (i32.const 64)))
      (br_if $next (i32.lt_u (local.get $to) (local.get $end))))))

;; Puts stored rows together: see row_writer.ts for the memory and who calls, row_form.ts for the forms. The bytes of it as a module are in rows_module.ts; a
;; test holds both together.
;;
;; Texts are copied 32 bytes at a time, without a look at how long they are: a branch that the processor cannot foresee costs as much. What is written behind the end is written
;; over by what comes next. Values fill the room from the front, the pieces of a compact row from the back on, so that one look tells whether there is room for both.
(module
  (import "writer" "memory" (memory 1))
  ;; A text came that did not follow on those since the last value before: (phrase) to the gap then, or -1.
  (import "writer" "explore" (func $explore (param i32) (result i32)))
  ;; The texts since the last value have no stencil: (at) to where the value will stand.
  (import "writer" "spell" (func $spell (param i32) (result i32)))
  ;; Makes room for so many bytes: (at, bytes).
  (import "writer" "widen" (func $widen (param i32 i32)))
  ;; Writes a text as JSON spells it: (at, from, bytes) to how many bytes that took.
  (import "writer" "escape" (func $escape (param i32 i32 i32) (result i32)))
  ;; The entries of a column are spent: (column) to whether there are others now.
  (import "writer" "turn" (func $turn (param i32) (result i32)))

  (global $compact (export "compact") (mut i32) (i32.const 0))
  ;; Bytes of the row's text so far.
  (global $text (mut i32) (i32.const 0))
  ;; The room ends at `top`; pieces have filled it down to `low`.
  (global $low (export "low") (mut i32) (i32.const 0))
  (global $top (export "top") (mut i32) (i32.const 0))
  ;; The texts since the last value, and the stencil before the value that is open.
  (global $gap (export "gap") (mut i32) (i32.const 0))
  (global $stencil (export "stencil") (mut i32) (i32.const 0))
  ;; The form of the text that was spelled last.
  (global $form (mut i32) (i32.const 0))

  ;; 16 bytes of ones, then 16 of zeros: what is looked at of the last of a text.
  (data (i32.const 16) "\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff\ff\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00")

  ;; Room for a text, the pieces that it may take, and the bytes beyond.
  (func $reserve (export "reserve") (param $at i32) (param $bytes i32)
    (if (i32.gt_u (i32.add (i32.add (local.get $at) (local.get $bytes)) (i32.add (i32.shr_u (local.get $bytes) (i32.const 4)) (i32.const 256))) (global.get $low))
      (then (call $widen (local.get $at) (local.get $bytes)))))

  ;; Says where the copy ends.
  (func $copy (param $at i32) (param $from i32) (param $bytes i32) (result i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $at) (local.get $bytes)))
    (loop $more
      (v128.store align=1 (local.get $at) (v128.load align=1 (local.get $from)))
      (v128.store offset=16 align=1 (local.get $at) (v128.load offset=16 align=1 (local.get $from)))
      (local.set $at (i32.add (local.get $at) (i32.const 32)))
      (local.set $from (i32.add (local.get $from) (i32.const 32)))
      (br_if $more (i32.lt_u (local.get $at) (local.get $end))))
    (local.get $end))

  ;; The text of a phrase, as it is; what `copy` does, but without a call where it is short, as most are.
  (func $phrase (param $phrase i32) (param $at i32) (result i32)
    (local $from i32) (local $bytes i32)
    (local.set $phrase (i32.add (i32.const 8192) (i32.shl (local.get $phrase) (i32.const 3))))
    (local.set $bytes (i32.load offset=4 (local.get $phrase)))
    (local.set $from (i32.load (local.get $phrase)))
    (if (i32.gt_u (i32.add (local.get $at) (i32.add (i32.shl (local.get $bytes) (i32.const 1)) (i32.const 256))) (global.get $low))
      (then (call $widen (local.get $at) (i32.shl (local.get $bytes) (i32.const 1)))))
    (global.set $text (i32.add (global.get $text) (local.get $bytes)))
    (v128.store align=1 (local.get $at) (v128.load align=1 (local.get $from)))
    (v128.store offset=16 align=1 (local.get $at) (v128.load offset=16 align=1 (local.get $from)))
    (if (i32.gt_u (local.get $bytes) (i32.const 32)) (then (return (call $copy (local.get $at) (local.get $from) (local.get $bytes)))))
    (i32.add (local.get $at) (local.get $bytes)))

  (func $piece (export "piece") (param $bytes i32)
    (global.set $low (i32.sub (global.get $low) (i32.const 2)))
    (i32.store16 (global.get $low) (i32.or (global.get $stencil) (i32.shl (local.get $bytes) (i32.const 8))))
    (global.set $stencil (i32.const 0)))

  (func $begin (export "begin") (param $at i32) (result i32)
    (global.set $text (i32.const 0))
    (global.set $gap (i32.const 0))
    (global.set $stencil (i32.const 0))
    (global.set $low (global.get $top))
    (call $reserve (local.get $at) (i32.const 12))
    (i32.add (local.get $at) (select (i32.const 12) (i32.const 0) (global.get $compact))))

  ;; A text that may stand in many rows: as it is, or as a step from those before it. Of one of more than 32 bytes the parts are the phrases behind it. Steps stand in a table by
  ;; gap and phrase, in the first free place from their hash on. Where there is to be none, a new gap begins behind a value of nothing.
  (func $fixed (export "fixed") (param $phrase i32) (param $at i32) (result i32)
    (local $place i32) (local $bytes i32) (local $key i32) (local $held i32)
    (if (i32.eqz (global.get $compact)) (then (return (call $phrase (local.get $phrase) (local.get $at)))))
    (local.set $bytes (i32.load offset=8196 (i32.shl (local.get $phrase) (i32.const 3))))
    (if (i32.gt_u (local.get $bytes) (i32.const 32))
      (then
        (local.set $held (i32.add (local.get $phrase) (i32.shr_u (i32.add (local.get $bytes) (i32.const 31)) (i32.const 5))))
        (loop $more
          (local.set $phrase (i32.add (local.get $phrase) (i32.const 1)))
          (local.set $at (call $fixed (local.get $phrase) (local.get $at)))
          (br_if $more (i32.lt_u (local.get $phrase) (local.get $held))))
        (return (local.get $at))))
    (call $reserve (local.get $at) (local.get $bytes))
    (block $broken
      (block $stepped
        (local.set $key (i32.add (i32.or (i32.shl (global.get $gap) (i32.const 12)) (local.get $phrase)) (i32.const 1)))
        (local.set $place (i32.shl (i32.shr_u (i32.mul (local.get $key) (i32.const 0x9e3779b1)) (i32.const 18)) (i32.const 3)))
        (loop $next
          (local.set $held (i32.load offset=73728 (local.get $place)))
          (if (i32.eq (local.get $held) (local.get $key))
            (then
              (local.set $held (i32.load offset=73732 (local.get $place)))
              (br $stepped)))
          (local.set $place (i32.and (i32.add (local.get $place) (i32.const 8)) (i32.const 0x1ffff)))
          (br_if $next (local.get $held)))
        (local.set $held (call $explore (local.get $phrase))))
      (br_if $broken (i32.lt_s (local.get $held) (i32.const 0)))
      (global.set $gap (local.get $held))
      (global.set $text (i32.add (global.get $text) (local.get $bytes)))
      (return (local.get $at)))
    (local.set $at (call $open (local.get $at)))
    (call $close (i32.const 0))
    (call $fixed (local.get $phrase) (local.get $at)))

  ;; A value is to be written: says where.
  (func $open (export "open") (param $at i32) (result i32)
    (local $code i32)
    (if (i32.eqz (global.get $compact)) (then (return (local.get $at))))
    (local.set $code (i32.load offset=40960 (i32.shl (global.get $gap) (i32.const 2))))
    (if (i32.lt_s (local.get $code) (i32.const 0)) (then (return (call $spell (local.get $at)))))
    (global.set $stencil (local.get $code))
    (global.set $gap (i32.const 0))
    (local.get $at))

  ;; So many bytes of it were written.
  (func $close (export "close") (param $bytes i32)
    (global.set $text (i32.add (global.get $text) (local.get $bytes)))
    (if (global.get $compact)
      (then
        (block $last
          (loop $more
            (br_if $last (i32.le_u (local.get $bytes) (i32.const 32)))
            (call $piece (i32.const 32))
            (local.set $bytes (i32.sub (local.get $bytes) (i32.const 32)))
            (br $more)))
        (global.set $low (i32.sub (global.get $low) (i32.const 2)))
        (i32.store16 (global.get $low) (i32.or (global.get $stencil) (i32.shl (local.get $bytes) (i32.const 8))))
        (global.set $stencil (i32.const 0)))))

  ;; `fixed` and `open` in one.
  (func $lead (param $phrase i32) (param $at i32) (result i32)
    (local $code i32)
    (if (i32.eqz (global.get $compact)) (then (return (call $phrase (local.get $phrase) (local.get $at)))))
    (local.set $at (call $fixed (local.get $phrase) (local.get $at)))
    (local.set $code (i32.load offset=40960 (i32.shl (global.get $gap) (i32.const 2))))
    (if (i32.lt_s (local.get $code) (i32.const 0)) (then (return (call $spell (local.get $at)))))
    (global.set $stencil (local.get $code))
    (global.set $gap (i32.const 0))
    (local.get $at))

  ;; The row that began at `start` is whole; says where it ends.
  (func $end (export "end") (param $start i32) (param $at i32) (result i32)
    (local $piece i32)
    (i32.store (i32.const 4) (global.get $text))
    (if (i32.eqz (global.get $compact)) (then (return (local.get $at))))
    (local.set $at (call $open (local.get $at)))
    (call $close (i32.const 0))
    (call $reserve (local.get $at) (i32.sub (global.get $top) (global.get $low)))
    (i32.store (local.get $start) (global.get $text))
    (i32.store offset=4 (local.get $start) (i32.sub (i32.sub (local.get $at) (local.get $start)) (i32.const 12)))
    (i32.store offset=8 (local.get $start) (i32.shr_u (i32.sub (global.get $top) (global.get $low)) (i32.const 1)))
    (local.set $piece (global.get $top))
    (loop $more
      (local.set $piece (i32.sub (local.get $piece) (i32.const 2)))
      (i32.store16 (local.get $at) (i32.load16_u (local.get $piece)))
      (local.set $at (i32.add (local.get $at) (i32.const 2)))
      (br_if $more (i32.gt_u (local.get $piece) (global.get $low))))
    (global.set $low (global.get $top))
    (local.get $at))

  ;; 0 where a JSON text may hold the bytes as they stand and they are ASCII, 1 where there are other letters, 2 where some must be spelled otherwise.
  (func $look (param $from i32) (param $bytes i32) (result i32)
    (local $left i32) (local $letters v128) (local $wide v128) (local $halts v128)
    (if (i32.eqz (local.get $bytes)) (then (return (i32.const 0))))
    (local.set $left (local.get $bytes))
    (loop $more
      (local.set $letters (v128.load align=1 (local.get $from)))
      ;; What lies behind the end is made a letter.
      (if (i32.lt_s (local.get $left) (i32.const 16))
        (then (local.set $letters (v128.bitselect (local.get $letters) (i8x16.splat (i32.const 0x61)) (v128.load align=1 (i32.sub (i32.const 32) (local.get $left)))))))
      (local.set $wide (v128.or (local.get $wide) (local.get $letters)))
      (local.set $halts (v128.or (v128.or (local.get $halts) (i8x16.lt_u (local.get $letters) (i8x16.splat (i32.const 0x20))))
        (v128.or (i8x16.eq (local.get $letters) (i8x16.splat (i32.const 0x22))) (i8x16.eq (local.get $letters) (i8x16.splat (i32.const 0x5c))))))
      (local.set $from (i32.add (local.get $from) (i32.const 16)))
      (local.set $left (i32.sub (local.get $left) (i32.const 16)))
      (br_if $more (i32.gt_s (local.get $left) (i32.const 0))))
    (if (v128.any_true (local.get $halts)) (then (return (i32.const 2))))
    (i32.ne (i8x16.bitmask (local.get $wide)) (i32.const 0)))

  ;; Notes of a field where its value stands: see `Notes`.
  (func $note (param $note i32) (param $form i32) (param $from i32) (param $to i32) (param $text i32)
    (i32.store (local.get $note) (local.get $from))
    (i32.store offset=256 (local.get $note) (local.get $to))
    (i32.store offset=512 (local.get $note) (local.get $text))
    (i32.store8 offset=1600 (i32.shr_u (i32.sub (local.get $note) (i32.const 64)) (i32.const 2)) (local.get $form)))

  ;; Where the first of other entries of a field's column stands.
  (func $turned (param $field i32) (result i32)
    (if (i32.eqz (call $turn (i32.load offset=60 (local.get $field)))) (then (unreachable)))
    (i32.load offset=4 (local.get $field)))

  ;; The next entry of a field's column; below 0 where it has no number: -1 null, -2 an empty list, -3 a value that stands in the page itself.
  (func $next (param $field i32) (result i32)
    (local $entry i32)
    (local.set $entry (i32.load offset=4 (local.get $field)))
    (if (i32.eq (local.get $entry) (i32.load offset=8 (local.get $field))) (then (local.set $entry (call $turned (local.get $field)))))
    (i32.store offset=4 (local.get $field) (i32.add (local.get $entry) (i32.const 4)))
    (i32.load (local.get $entry)))

  ;; Bytes of the text that stands next in the page.
  (func $paged (param $field i32) (result i32)
    (local $from i32) (local $bytes i32)
    (local.set $from (i32.add (i32.load offset=12 (local.get $field)) (i32.const 4)))
    (if (i32.gt_u (local.get $from) (i32.load offset=16 (local.get $field))) (then (unreachable)))
    (local.set $bytes (i32.load align=1 (i32.load offset=12 (local.get $field))))
    (if (i32.gt_u (local.get $bytes) (i32.sub (i32.load offset=16 (local.get $field)) (local.get $from))) (then (unreachable)))
    (i32.store offset=12 (local.get $field) (i32.add (local.get $from) (local.get $bytes)))
    (local.get $bytes))

  ;; Writes the text of an entry, as JSON spells it but without quotes. Says where it ends.
  (func $spelled (param $field i32) (param $entry i32) (param $at i32) (result i32)
    (local $from i32) (local $bytes i32) (local $seen i32)
    (if (i32.ge_s (local.get $entry) (i32.const 0))
      (then
        (local.set $from (i32.add (i32.load offset=20 (local.get $field)) (i32.shl (local.get $entry) (i32.const 3))))
        (local.set $bytes (i32.load offset=4 (local.get $from)))
        (global.set $form (i32.and (local.get $bytes) (i32.const 7)))
        (local.set $bytes (i32.shr_u (local.get $bytes) (i32.const 3)))
        (local.set $from (i32.load (local.get $from))))
      (else
        (local.set $bytes (call $paged (local.get $field)))
        (local.set $from (i32.sub (i32.load offset=12 (local.get $field)) (local.get $bytes)))
        (local.set $seen (call $look (local.get $from) (local.get $bytes)))
        (global.set $form (i32.add (local.get $seen) (i32.const 1)))
        (if (i32.eq (local.get $seen) (i32.const 2))
          (then (return (i32.add (local.get $at) (call $escape (local.get $at) (local.get $from) (local.get $bytes))))))))
    (call $reserve (local.get $at) (local.get $bytes))
    (call $copy (local.get $at) (local.get $from) (local.get $bytes)))

  ;; Digits of a number, the sign before them; says where they end.
  (func $decimal (export "decimal") (param $at i32) (param $number i64) (result i32)
    (local $digit i32)
    (if (i64.lt_s (local.get $number) (i64.const 0))
      (then
        (i32.store8 (local.get $at) (i32.const 0x2d))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (local.set $number (i64.sub (i64.const 0) (local.get $number)))))
    (local.set $digit (i32.const 1728))
    (loop $more
      (local.set $digit (i32.sub (local.get $digit) (i32.const 1)))
      (i32.store8 (local.get $digit) (i32.add (i32.const 0x30) (i32.wrap_i64 (i64.rem_u (local.get $number) (i64.const 10)))))
      (local.set $number (i64.div_u (local.get $number) (i64.const 10)))
      (br_if $more (i64.ne (local.get $number) (i64.const 0))))
    (call $copy (local.get $at) (local.get $digit) (i32.sub (i32.const 1728) (local.get $digit))))

  ;; The text, list or number of a field, or null.
  (func $null (param $field i32) (param $note i32) (param $at i32) (result i32)
    (call $note (local.get $note) (i32.const 0) (local.get $at) (local.get $at) (i32.const 0))
    (call $fixed (i32.load offset=32 (local.get $field)) (local.get $at)))

  ;; Most fields are texts: what others call stands here itself, as calls would cost more than all else.
  (func $text (param $field i32) (param $note i32) (param $at i32) (result i32)
    (local $entry i32) (local $from i32) (local $bytes i32) (local $form i32) (local $few i32) (local $end i32)
    (local.set $entry (i32.load offset=4 (local.get $field)))
    (if (i32.eq (local.get $entry) (i32.load offset=8 (local.get $field))) (then (local.set $entry (call $turned (local.get $field)))))
    (i32.store offset=4 (local.get $field) (i32.add (local.get $entry) (i32.const 4)))
    (local.set $entry (i32.load (local.get $entry)))
    (i32.store offset=768 (local.get $note) (local.get $entry))
    (if (i32.eq (local.get $entry) (i32.const -1)) (then (return (call $null (local.get $field) (local.get $note) (local.get $at)))))
    (if (i32.ge_s (local.get $entry) (i32.const 0))
      (then
        (local.set $from (i32.add (i32.load offset=20 (local.get $field)) (i32.shl (local.get $entry) (i32.const 3))))
        (local.set $bytes (i32.load offset=4 (local.get $from)))
        (local.set $from (i32.load (local.get $from)))
        (local.set $form (i32.and (local.get $bytes) (i32.const 7)))
        (local.set $bytes (i32.shr_u (local.get $bytes) (i32.const 3)))
        (local.set $few (i32.load offset=24 (local.get $field)))
        (if (local.get $few)
          (then
            (local.set $few (i32.load (i32.add (local.get $few) (i32.shl (local.get $entry) (i32.const 2)))))
            (if (i32.ge_s (local.get $few) (i32.const 0))
              (then
                (call $note (local.get $note) (local.get $form) (local.get $from) (i32.add (local.get $from) (local.get $bytes)) (i32.add (global.get $text) (i32.load offset=40 (local.get $field))))
                (return (call $fixed (local.get $few) (local.get $at)))))))
        (local.set $at (call $lead (i32.load offset=28 (local.get $field)) (local.get $at))))
      (else
        (local.set $at (call $lead (i32.load offset=28 (local.get $field)) (local.get $at)))
        (local.set $bytes (call $paged (local.get $field)))
        (local.set $from (i32.sub (i32.load offset=12 (local.get $field)) (local.get $bytes)))
        (local.set $form (i32.add (call $look (local.get $from) (local.get $bytes)) (i32.const 1)))
        (if (i32.eq (local.get $form) (i32.const 3))
          (then
            (local.set $bytes (call $escape (local.get $at) (local.get $from) (local.get $bytes)))
            (local.set $from (local.get $at))))))
    (if (i32.gt_u (i32.add (local.get $at) (i32.add (i32.shl (local.get $bytes) (i32.const 1)) (i32.const 256))) (global.get $low))
      (then (call $widen (local.get $at) (i32.shl (local.get $bytes) (i32.const 1)))))
    (v128.store align=1 (local.get $at) (v128.load align=1 (local.get $from)))
    (v128.store offset=16 align=1 (local.get $at) (v128.load offset=16 align=1 (local.get $from)))
    (if (i32.gt_u (local.get $bytes) (i32.const 32)) (then (drop (call $copy (local.get $at) (local.get $from) (local.get $bytes)))))
    (local.set $end (i32.add (local.get $at) (local.get $bytes)))
    (i32.store (local.get $note) (local.get $at))
    (i32.store offset=256 (local.get $note) (local.get $end))
    (i32.store offset=512 (local.get $note) (global.get $text))
    (i32.store8 offset=1600 (i32.shr_u (i32.sub (local.get $note) (i32.const 64)) (i32.const 2)) (local.get $form))
    ;; The quote that closes it.
    (if (global.get $compact)
      (then
        (call $close (local.get $bytes))
        (global.set $text (i32.add (global.get $text) (i32.const 1)))
        (global.set $gap (i32.load offset=36 (local.get $field)))
        (return (local.get $end))))
    (i32.store8 (local.get $end) (i32.const 0x22))
    (global.set $text (i32.add (global.get $text) (i32.add (local.get $bytes) (i32.const 1))))
    (i32.add (local.get $end) (i32.const 1)))

  ;; Whether the next entry goes on with the list.
  (func $follows (param $field i32) (result i32)
    (if (i32.eq (i32.load offset=4 (local.get $field)) (i32.load offset=8 (local.get $field)))
      (then
        ;; The entries of the list do not lie side by side.
        (i32.store offset=48 (local.get $field) (i32.const 1))
        (if (i32.eqz (call $turn (i32.load offset=60 (local.get $field)))) (then (return (i32.const 0))))))
    (i32.load (i32.add (i32.load offset=4 (local.get $field)) (i32.load offset=44 (local.get $field)))))

  (func $list (param $field i32) (param $note i32) (param $at i32) (result i32)
    (local $entry i32) (local $first i32) (local $end i32)
    (local.set $entry (call $next (local.get $field)))
    (i32.store offset=1024 (local.get $note) (i32.const 0))
    (i32.store offset=1280 (local.get $note) (i32.const 0))
    (if (i32.eq (local.get $entry) (i32.const -1)) (then (return (call $null (local.get $field) (local.get $note) (local.get $at)))))
    (if (i32.eq (local.get $entry) (i32.const -2))
      (then
        (call $note (local.get $note) (i32.const 4) (i32.load offset=40 (local.get $field)) (i32.load offset=40 (local.get $field)) (i32.const 0))
        (return (call $fixed (i32.load offset=36 (local.get $field)) (local.get $at)))))
    (local.set $first (i32.sub (i32.load offset=4 (local.get $field)) (i32.const 4)))
    (i32.store offset=48 (local.get $field) (i32.const 0))
    (local.set $at (call $lead (i32.load offset=28 (local.get $field)) (local.get $at)))
    ;; [" between texts ","
    (i32.store8 (local.get $at) (i32.const 0x5b))
    (local.set $end (local.get $at))
    (loop $more
      (i32.store8 offset=1 (local.get $end) (i32.const 0x22))
      (local.set $end (call $spelled (local.get $field) (local.get $entry) (i32.add (local.get $end) (i32.const 2))))
      (i32.store16 align=1 (local.get $end) (i32.const 0x2c22))
      (local.set $end (i32.add (local.get $end) (i32.const 1)))
      (if (call $follows (local.get $field))
        (then
          (local.set $entry (call $next (local.get $field)))
          (br $more))))
    (i32.store8 (local.get $end) (i32.const 0x5d))
    (if (i32.eqz (i32.load offset=48 (local.get $field)))
      (then
        (i32.store offset=1024 (local.get $note) (i32.shr_u (local.get $first) (i32.const 2)))
        (i32.store offset=1280 (local.get $note) (i32.shr_u (i32.load offset=4 (local.get $field)) (i32.const 2)))))
    (call $note (local.get $note) (i32.const 4) (i32.add (local.get $at) (i32.const 1)) (local.get $end) (i32.add (global.get $text) (i32.const 1)))
    (local.set $end (i32.add (local.get $end) (i32.const 1)))
    ;; Each text had room for its own pieces; now come those of all.
    (call $reserve (local.get $end) (i32.sub (local.get $end) (local.get $at)))
    (call $close (i32.sub (local.get $end) (local.get $at)))
    (local.get $end))

  (func $integer (param $field i32) (param $note i32) (param $at i32) (result i32)
    (local $entry i32) (local $end i32)
    (local.set $entry (call $next (local.get $field)))
    (if (i32.eq (local.get $entry) (i32.const -1)) (then (return (call $null (local.get $field) (local.get $note) (local.get $at)))))
    (local.set $at (call $lead (i32.load offset=28 (local.get $field)) (local.get $at)))
    (local.set $end (call $decimal (local.get $at) (i64.load align=1 (call $whole (local.get $field) (local.get $entry)))))
    (call $note (local.get $note) (i32.const 5) (local.get $at) (local.get $end) (global.get $text))
    (call $close (i32.sub (local.get $end) (local.get $at)))
    (local.get $end))

  ;; Where the integer of an entry stands.
  (func $whole (param $field i32) (param $entry i32) (result i32)
    (local $from i32)
    (if (i32.ge_s (local.get $entry) (i32.const 0))
      (then (return (i32.add (i32.load offset=20 (local.get $field)) (i32.shl (local.get $entry) (i32.const 3))))))
    (local.set $from (i32.load offset=12 (local.get $field)))
    (i32.store offset=12 (local.get $field) (i32.add (local.get $from) (i32.const 8)))
    (if (i32.gt_u (i32.load offset=12 (local.get $field)) (i32.load offset=16 (local.get $field))) (then (unreachable)))
    (local.get $from))

  (func $constant (param $field i32) (param $note i32) (param $at i32) (result i32)
    (call $note (local.get $note) (i32.load offset=20 (local.get $field)) (i32.load offset=12 (local.get $field)) (i32.load offset=16 (local.get $field))
      (i32.add (global.get $text) (i32.load offset=40 (local.get $field))))
    (call $fixed (i32.load offset=28 (local.get $field)) (local.get $at)))

  (func $rank (param $field i32)
    (local $entry i32)
    (local.set $entry (call $next (local.get $field)))
    (f64.store (i32.const 8) (f64.const -1))
    (if (i32.ne (local.get $entry) (i32.const -1))
      (then (f64.store (i32.const 8) (f64.convert_i64_s (i64.load align=1 (call $whole (local.get $field) (local.get $entry))))))))

  ;; The next row, of the fields up to the rank, from `start` on; says where it ends.
  (func (export "row") (param $ending i32) (param $start i32) (result i32)
    (local $at i32) (local $field i32) (local $note i32)
    (local.set $at (call $begin (local.get $start)))
    (local.set $field (i32.const 2048))
    (local.set $note (i32.const 64))
    (block $whole
      (loop $more
        (block $placed
          (block $constant (block $integer (block $list (block $text (block $rank
            (br_table $rank $text $list $integer $constant (i32.load (local.get $field))))
            (call $rank (local.get $field)) (br $whole))
            (local.set $at (call $text (local.get $field) (local.get $note) (local.get $at))) (br $placed))
            (local.set $at (call $list (local.get $field) (local.get $note) (local.get $at))) (br $placed))
            (local.set $at (call $integer (local.get $field) (local.get $note) (local.get $at))) (br $placed))
          (local.set $at (call $constant (local.get $field) (local.get $note) (local.get $at))))
        (local.set $field (i32.add (local.get $field) (i32.const 64)))
        (local.set $note (i32.add (local.get $note) (i32.const 4)))
        (br $more)))
    (call $end (local.get $start) (call $fixed (local.get $ending) (local.get $at))))

  ;; Texts that stand in a page, each behind its length, noted one by one: where it begins, and its bytes times eight with its form. Says how many are to be spelled otherwise.
  (func (export "note_texts") (param $from i32) (param $end i32) (param $count i32) (param $to i32) (result i32)
    (local $bytes i32) (local $seen i32) (local $odd i32)
    (block $noted
      (loop $more
        (br_if $noted (i32.eqz (local.get $count)))
        (if (i32.lt_s (i32.sub (local.get $end) (local.get $from)) (i32.const 4)) (then (unreachable)))
        (local.set $bytes (i32.load align=1 (local.get $from)))
        (local.set $from (i32.add (local.get $from) (i32.const 4)))
        (if (i32.gt_u (local.get $bytes) (i32.sub (local.get $end) (local.get $from))) (then (unreachable)))
        (local.set $seen (call $look (local.get $from) (local.get $bytes)))
        (local.set $odd (i32.add (local.get $odd) (i32.eq (local.get $seen) (i32.const 2))))
        (i32.store (local.get $to) (local.get $from))
        (i32.store offset=4 (local.get $to) (i32.or (i32.shl (local.get $bytes) (i32.const 3)) (i32.add (local.get $seen) (i32.const 1))))
        (local.set $from (i32.add (local.get $from) (local.get $bytes)))
        (local.set $to (i32.add (local.get $to) (i32.const 8)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $more)))
    (local.get $odd))
  ;; Makes of so many levels the entries that they stand for: of the level `full` the next of the numbers, which must be below `texts`, or -3 where there are none (0); of
  ;; others what is null or empty. Gives where the numbers end that it took; -1 where a list has a null in it.
  (func (export "name_entries") (param $entry i32) (param $count i32) (param $full i32) (param $number i32) (param $texts i32) (result i32)
    (local $end i32) (local $level i32)
    (local.set $end (i32.add (local.get $entry) (i32.shl (local.get $count) (i32.const 2))))
    (block $named
      (loop $more
        (br_if $named (i32.ge_u (local.get $entry) (local.get $end)))
        (local.set $level (i32.load (local.get $entry)))
        (if (i32.eq (local.get $level) (local.get $full))
          (then
            (local.set $level (i32.const -3))
            (if (local.get $number)
              (then
                (local.set $level (i32.load (local.get $number)))
                (if (i32.ge_u (local.get $level) (local.get $texts)) (then (unreachable)))
                (local.set $number (i32.add (local.get $number) (i32.const 4))))))
          (else
            (if (i32.gt_u (local.get $level) (i32.const 1)) (then (return (i32.const -1))))
            (local.set $level (i32.sub (i32.const -1) (local.get $level)))))
        (i32.store (local.get $entry) (local.get $level))
        (local.set $entry (i32.add (local.get $entry) (i32.const 4)))
        (br $more)))
    (local.get $number)))

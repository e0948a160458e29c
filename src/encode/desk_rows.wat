;; Rows as they leave the service, made of their text many at a time: see desk_rows.ts for who calls and how the labels lie. The bytes of it as a module are in desk_rows_module.ts; a test
;; holds both together.
;;
;; Each row is walked once: where the label of each field stands is told in `spans`, from which the forms are made. Sixteen bytes are looked at at a time, up to as many behind the
;; end of the text. What does not stand as this service writes rows, or cannot be told from its bytes alone, is left to those who can look closer.
(module
  (import "desk" "memory" (memory 1))
  ;; How many rows were made.
  (global $rows (export "rows") (mut i32) (i32.const 0))
  ;; What ends a line: a brace, and the byte that stands behind each row.
  (global $line_end (export "lineEnd") (mut i32) (i32.const 0))
  ;; What stands behind each row that was put together, and which field tells who had it: the number of its place.
  (global $separator (export "separator") (mut i32) (i32.const 0))
  (global $sources (export "sources") (mut i32) (i32.const 0))
  ;; Fields of the row that was walked last in which a sign is escaped, a bit each.
  (global $escaped (mut i64) (i64.const 0))

  ;; Puts where the label of each field of the row at `at` stands to `spans`, with the comma before it, and at last where the row ends, which it gives; 0 where it is otherwise than expected.
  ;; Labels lie from `label` to `label_end`; a row may end before those from `label_needed` on.
  (func $walk (param $at i32) (param $label i32) (param $label_end i32) (param $label_needed i32) (param $span i32) (result i32)
    (local $byte i32) (local $found i32) (local $list i32) (local $text v128) (local $field i64) (local $escapes i64)
    (local.set $field (i64.const 1))
    (block $odd
      (block $closed
        (loop $next
          (i32.store (local.get $span) (local.get $at))
          ;; The label: a brace or a comma, the name in quotes, a colon; under a mask of its length.
          (local.set $found (i32.const 0))
          (loop $block
            (if (v128.any_true (v128.and
                  (v128.load offset=96 align=1 (i32.add (local.get $label) (local.get $found)))
                  (v128.xor
                    (v128.load align=1 (i32.add (local.get $at) (local.get $found)))
                    (v128.load offset=16 align=1 (i32.add (local.get $label) (local.get $found))))))
              (then
                (br_if $odd (i32.lt_u (local.get $label) (local.get $label_needed)))
                (loop $missing
                  (local.set $span (i32.add (local.get $span) (i32.const 4)))
                  (local.set $label (i32.add (local.get $label) (i32.const 176)))
                  (i32.store (local.get $span) (local.get $at))
                  (br_if $missing (i32.lt_u (local.get $label) (local.get $label_end))))
                (br $closed)))
            (local.set $found (i32.add (local.get $found) (i32.const 16)))
            (br_if $block (i32.lt_u (local.get $found) (i32.load (local.get $label)))))
          (local.set $at (i32.add (local.get $at) (i32.load (local.get $label))))
          ;; The value.
          (local.set $byte (i32.load8_u (local.get $at)))
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (block $value
            (br_if $odd (i32.or (i32.eq (local.get $byte) (i32.const 0x7b)) (i32.le_u (local.get $byte) (i32.const 0x20))))
            (local.set $list (i32.eq (local.get $byte) (i32.const 0x5b)))
            (if (local.get $list)
              (then
                (local.set $byte (i32.load8_u (local.get $at)))
                (local.set $at (i32.add (local.get $at) (i32.const 1)))
                (br_if $value (i32.eq (local.get $byte) (i32.const 0x5d)))
                (br_if $odd (i32.ne (local.get $byte) (i32.const 0x22)))))
            (if (i32.eq (local.get $byte) (i32.const 0x22))
              (then
                ;; To the quote that is not escaped. No text holds a sign of control.
                (loop $letters
                  (local.set $text (v128.load align=1 (local.get $at)))
                  (local.set $found (i8x16.bitmask (v128.or
                    (i8x16.lt_u (local.get $text) (i8x16.splat (i32.const 0x20)))
                    (v128.or
                      (i8x16.eq (local.get $text) (i8x16.splat (i32.const 0x22)))
                      (i8x16.eq (local.get $text) (i8x16.splat (i32.const 0x5c)))))))
                  (if (i32.eqz (local.get $found))
                    (then
                      (local.set $at (i32.add (local.get $at) (i32.const 16)))
                      (br $letters)))
                  (local.set $at (i32.add (local.get $at) (i32.ctz (local.get $found))))
                  (local.set $byte (i32.load8_u (local.get $at)))
                  (if (i32.eq (local.get $byte) (i32.const 0x5c))
                    (then
                      (local.set $escapes (i64.or (local.get $escapes) (local.get $field)))
                      (local.set $at (i32.add (local.get $at) (i32.const 2)))
                      (br $letters)))
                  (br_if $odd (i32.ne (local.get $byte) (i32.const 0x22)))
                  (local.set $at (i32.add (local.get $at) (i32.const 1)))
                  (br_if $value (i32.eqz (local.get $list)))
                  ;; An item of a list: another follows, or its end.
                  (local.set $byte (i32.load8_u (local.get $at)))
                  (local.set $at (i32.add (local.get $at) (i32.const 1)))
                  (br_if $value (i32.eq (local.get $byte) (i32.const 0x5d)))
                  (br_if $odd (i32.ne (local.get $byte) (i32.const 0x2c)))
                  (br_if $odd (i32.ne (i32.load8_u (local.get $at)) (i32.const 0x22)))
                  (local.set $at (i32.add (local.get $at) (i32.const 1)))
                  (br $letters))))
            ;; A number or a word: up to a comma, a brace, or what stands in none.
            (loop $letters
              (local.set $text (v128.load align=1 (local.get $at)))
              (local.set $found (i8x16.bitmask (v128.or
                (v128.andnot
                  (i8x16.le_u (local.get $text) (i8x16.splat (i32.const 0x2c)))
                  (i8x16.eq (local.get $text) (i8x16.splat (i32.const 0x2b))))
                (v128.or
                  (i8x16.eq (local.get $text) (i8x16.splat (i32.const 0x7d)))
                  (i8x16.eq (local.get $text) (i8x16.splat (i32.const 0x5d)))))))
              (if (i32.eqz (local.get $found))
                (then
                  (local.set $at (i32.add (local.get $at) (i32.const 16)))
                  (br $letters))))
            (local.set $at (i32.add (local.get $at) (i32.ctz (local.get $found)))))
          (local.set $field (i64.shl (local.get $field) (i64.const 1)))
          (local.set $span (i32.add (local.get $span) (i32.const 4)))
          (local.set $label (i32.add (local.get $label) (i32.const 176)))
          (br_if $next (i32.lt_u (local.get $label) (local.get $label_end))))
        (i32.store (local.get $span) (local.get $at)))
      (br_if $odd (i32.ne (i32.load16_u align=1 (local.get $at)) (global.get $line_end)))
      (global.set $escaped (local.get $escapes))
      (return (local.get $at)))
    (i32.const 0))

  (func $bits (param $low i32) (param $high i32) (result i64)
    (i64.or (i64.extend_i32_u (local.get $low)) (i64.shl (i64.extend_i32_u (local.get $high)) (i64.const 32))))

  ;; Behind the label of the last field that is wanted.
  (func $needed (param $label i32) (param $wanted i64) (result i32)
    (i32.add (local.get $label) (i32.mul (i32.const 176) (i32.sub (i32.const 64) (i32.wrap_i64 (i64.clz (local.get $wanted)))))))

  ;; Lines from `from` on, each a row, no more than `most`, cut down to some of their fields. They may stand where they are written to: the text of some fields is never longer than that of all, so
  ;; that nothing is written over that is still to be read. Of the fields wanted the bits are `low` and `high`. `separator`: the byte behind each. Gives where the text ends.
  (func (export "cut")
    (param $from i32) (param $most i32) (param $label i32) (param $label_end i32) (param $spans i32) (param $low i32) (param $high i32) (param $to i32) (param $separator i32) (result i32)
    (local $row i32) (local $end i32) (local $run i32) (local $stop i32) (local $needed i32) (local $all i64) (local $wanted i64) (local $fields i64)
    (local.set $all (call $bits (local.get $low) (local.get $high)))
    (local.set $needed (call $needed (local.get $label) (local.get $all)))
    (global.set $rows (i32.const 0))
    (block $odd
      (loop $next
        (br_if $odd (i32.eqz (local.get $most)))
        (local.set $end (call $walk (local.get $from) (local.get $label) (local.get $label_end) (local.get $needed) (local.get $spans)))
        (br_if $odd (i32.eqz (local.get $end)))
        (local.set $row (local.get $to))
        (local.set $wanted (local.get $all))
        (local.set $run (local.get $spans))
        ;; Fields that lie side by side are copied in one go.
        (loop $more
          (local.set $fields (i64.ctz (local.get $wanted)))
          (local.set $run (i32.add (local.get $run) (i32.shl (i32.wrap_i64 (local.get $fields)) (i32.const 2))))
          (local.set $wanted (i64.shr_u (local.get $wanted) (local.get $fields)))
          (local.set $fields (i64.ctz (i64.xor (local.get $wanted) (i64.const -1))))
          (local.set $stop (i32.add (local.get $run) (i32.shl (i32.wrap_i64 (local.get $fields)) (i32.const 2))))
          (memory.copy (local.get $to) (i32.load (local.get $run)) (i32.sub (i32.load (local.get $stop)) (i32.load (local.get $run))))
          (local.set $to (i32.add (local.get $to) (i32.sub (i32.load (local.get $stop)) (i32.load (local.get $run)))))
          (local.set $run (local.get $stop))
          (local.set $wanted (i64.shr_u (local.get $wanted) (local.get $fields)))
          (br_if $more (i64.ne (local.get $wanted) (i64.const 0))))
        ;; The first field has a brace before it, whichever it is.
        (i32.store8 (local.get $row) (i32.const 0x7b))
        (i32.store16 align=1 (local.get $to) (i32.or (i32.const 0x7d) (i32.shl (local.get $separator) (i32.const 8))))
        (local.set $to (i32.add (local.get $to) (i32.const 2)))
        (local.set $from (i32.add (local.get $end) (i32.const 2)))
        (global.set $rows (i32.add (global.get $rows) (i32.const 1)))
        (local.set $most (i32.sub (local.get $most) (i32.const 1)))
        (br $next)))
    (local.get $to))

  ;; Up to 31 bytes behind the end are written too. Says where the copy ends.
  (func $copy (param $to i32) (param $from i32) (param $end i32) (result i32)
    (local $stop i32)
    (local.set $stop (i32.add (local.get $to) (i32.sub (local.get $end) (local.get $from))))
    (loop $more
      (v128.store align=1 (local.get $to) (v128.load align=1 (local.get $from)))
      (v128.store offset=16 align=1 (local.get $to) (v128.load offset=16 align=1 (local.get $from)))
      (local.set $to (i32.add (local.get $to) (i32.const 32)))
      (local.set $from (i32.add (local.get $from) (i32.const 32)))
      (br_if $more (i32.lt_u (local.get $to) (local.get $stop))))
    (local.get $stop))

  ;; A text at [from, end), as MessagePack has it; 0 where it is too long.
  (func $pack_text (param $to i32) (param $from i32) (param $end i32) (result i32)
    (local $bytes i32)
    (local.set $bytes (i32.sub (local.get $end) (local.get $from)))
    (if (i32.lt_u (local.get $bytes) (i32.const 32))
      (then
        (i32.store8 (local.get $to) (i32.or (i32.const 0xa0) (local.get $bytes)))
        (return (call $copy (i32.add (local.get $to) (i32.const 1)) (local.get $from) (local.get $end)))))
    (if (i32.lt_u (local.get $bytes) (i32.const 0x100))
      (then
        (i32.store16 align=1 (local.get $to) (i32.or (i32.const 0xd9) (i32.shl (local.get $bytes) (i32.const 8))))
        (return (call $copy (i32.add (local.get $to) (i32.const 2)) (local.get $from) (local.get $end)))))
    (if (i32.ge_u (local.get $bytes) (i32.const 0x10000)) (then (return (i32.const 0))))
    (i32.store8 (local.get $to) (i32.const 0xda))
    (call $store_big (i32.add (local.get $to) (i32.const 1)) (local.get $bytes))
    (call $copy (i32.add (local.get $to) (i32.const 3)) (local.get $from) (local.get $end)))

  ;; Sixteen bits, the high ones first.
  (func $store_big (param $to i32) (param $number i32)
    (i32.store8 (local.get $to) (i32.shr_u (local.get $number) (i32.const 8)))
    (i32.store8 offset=1 (local.get $to) (local.get $number)))

  ;; The texts of a list at [from, end), within its brackets; 0 where one is too long.
  (func $pack_list (param $to i32) (param $from i32) (param $end i32) (result i32)
    (local $at i32) (local $items i32) (local $head i32)
    (if (i32.eq (local.get $from) (local.get $end))
      (then
        (i32.store8 (local.get $to) (i32.const 0x90))
        (return (i32.add (local.get $to) (i32.const 1)))))
    ;; Room for the longer head; where the shorter will do the texts move up.
    (local.set $head (local.get $to))
    (local.set $to (i32.add (local.get $to) (i32.const 3)))
    (loop $item
      (local.set $from (i32.add (local.get $from) (i32.const 1)))
      (local.set $at (local.get $from))
      (loop $letter
        (if (i32.ne (i32.load8_u (local.get $at)) (i32.const 0x22))
          (then
            (local.set $at (i32.add (local.get $at) (i32.const 1)))
            (br $letter))))
      (local.set $to (call $pack_text (local.get $to) (local.get $from) (local.get $at)))
      (if (i32.eqz (local.get $to)) (then (return (i32.const 0))))
      (local.set $items (i32.add (local.get $items) (i32.const 1)))
      (local.set $from (i32.add (local.get $at) (i32.const 2)))
      (br_if $item (i32.lt_u (local.get $from) (local.get $end))))
    (if (i32.ge_u (local.get $items) (i32.const 0x10000)) (then (return (i32.const 0))))
    (if (i32.ge_u (local.get $items) (i32.const 16))
      (then
        (i32.store8 (local.get $head) (i32.const 0xdc))
        (call $store_big (i32.add (local.get $head) (i32.const 1)) (local.get $items))
        (return (local.get $to))))
    (i32.store8 (local.get $head) (i32.or (i32.const 0x90) (local.get $items)))
    (memory.copy (i32.add (local.get $head) (i32.const 1)) (i32.add (local.get $head) (i32.const 3)) (i32.sub (local.get $to) (i32.add (local.get $head) (i32.const 3))))
    (i32.sub (local.get $to) (i32.const 2)))

  ;; An integer of up to nine digits, or null, at [from, end); 0 where it is neither.
  (func $pack_word (param $to i32) (param $from i32) (param $end i32) (result i32)
    (local $minus i32) (local $number i32) (local $digit i32)
    (if (i32.and (i32.eq (i32.sub (local.get $end) (local.get $from)) (i32.const 4)) (i32.eq (i32.load align=1 (local.get $from)) (i32.const 0x6c6c756e)))
      (then
        (i32.store8 (local.get $to) (i32.const 0xc0))
        (return (i32.add (local.get $to) (i32.const 1)))))
    (local.set $minus (i32.eq (i32.load8_u (local.get $from)) (i32.const 0x2d)))
    (local.set $from (i32.add (local.get $from) (local.get $minus)))
    (if (i32.or (i32.ge_u (local.get $from) (local.get $end)) (i32.gt_u (i32.sub (local.get $end) (local.get $from)) (i32.const 9))) (then (return (i32.const 0))))
    ;; No other number begins with a nought.
    (if (i32.and (i32.eq (i32.load8_u (local.get $from)) (i32.const 0x30)) (i32.ne (i32.sub (local.get $end) (local.get $from)) (i32.const 1))) (then (return (i32.const 0))))
    (loop $more
      (local.set $digit (i32.sub (i32.load8_u (local.get $from)) (i32.const 0x30)))
      (if (i32.gt_u (local.get $digit) (i32.const 9)) (then (return (i32.const 0))))
      (local.set $number (i32.add (i32.mul (local.get $number) (i32.const 10)) (local.get $digit)))
      (local.set $from (i32.add (local.get $from) (i32.const 1)))
      (br_if $more (i32.lt_u (local.get $from) (local.get $end))))
    (if (i32.and (local.get $minus) (i32.ne (local.get $number) (i32.const 0)))
      (then
        (if (i32.le_u (local.get $number) (i32.const 32))
          (then
            (i32.store8 (local.get $to) (i32.sub (i32.const 0) (local.get $number)))
            (return (i32.add (local.get $to) (i32.const 1)))))
        (local.set $digit (i32.const 0xd0)))
      (else
        (if (i32.lt_u (local.get $number) (i32.const 128))
          (then
            (i32.store8 (local.get $to) (local.get $number))
            (return (i32.add (local.get $to) (i32.const 1)))))
        (local.set $minus (i32.const 0))
        (local.set $digit (i32.const 0xcc))))
    ;; One, two or four bytes; with a sign they hold half as much.
    (if (i32.le_u (local.get $number) (select (i32.const 0x80) (i32.const 0xff) (local.get $minus)))
      (then
        (i32.store8 (local.get $to) (local.get $digit))
        (i32.store8 offset=1 (local.get $to) (select (i32.sub (i32.const 0) (local.get $number)) (local.get $number) (local.get $minus)))
        (return (i32.add (local.get $to) (i32.const 2)))))
    (if (i32.le_u (local.get $number) (select (i32.const 0x8000) (i32.const 0xffff) (local.get $minus)))
      (then
        (i32.store8 (local.get $to) (i32.add (local.get $digit) (i32.const 1)))
        (call $store_big (i32.add (local.get $to) (i32.const 1)) (select (i32.sub (i32.const 0) (local.get $number)) (local.get $number) (local.get $minus)))
        (return (i32.add (local.get $to) (i32.const 3)))))
    (i32.store8 (local.get $to) (i32.add (local.get $digit) (i32.const 2)))
    (if (local.get $minus) (then (local.set $number (i32.sub (i32.const 0) (local.get $number)))))
    (call $store_big (i32.add (local.get $to) (i32.const 1)) (i32.shr_u (local.get $number) (i32.const 16)))
    (call $store_big (i32.add (local.get $to) (i32.const 3)) (local.get $number))
    (i32.add (local.get $to) (i32.const 5)))

  ;; Lines from `from` on as maps of MessagePack at `to`, one behind the other, as many as end before `limit`; else as `cut`. No map is longer than its line but for a few bytes.
  (func (export "pack")
    (param $from i32) (param $most i32) (param $label i32) (param $label_end i32) (param $spans i32) (param $low i32) (param $high i32) (param $to i32) (param $limit i32) (result i32)
    (local $end i32) (local $out i32) (local $span i32) (local $name i32) (local $byte i32) (local $value i32) (local $stop i32) (local $needed i32) (local $fields i32) (local $all i64) (local $wanted i64) (local $bit i64)
    (local.set $all (call $bits (local.get $low) (local.get $high)))
    (local.set $needed (call $needed (local.get $label) (local.get $all)))
    (local.set $fields (i32.wrap_i64 (i64.popcnt (local.get $all))))
    (global.set $rows (i32.const 0))
    (block $odd
      (loop $next
        (br_if $odd (i32.eqz (local.get $most)))
        (local.set $end (call $walk (local.get $from) (local.get $label) (local.get $label_end) (local.get $needed) (local.get $spans)))
        (br_if $odd (i32.eqz (local.get $end)))
        (br_if $odd (i64.ne (i64.and (global.get $escaped) (local.get $all)) (i64.const 0)))
        (br_if $odd (i32.gt_u (i32.add (local.get $to) (i32.sub (local.get $end) (local.get $from))) (local.get $limit)))
        (local.set $out (local.get $to))
        (if (i32.lt_u (local.get $fields) (i32.const 16))
          (then
            (i32.store8 (local.get $out) (i32.or (i32.const 0x80) (local.get $fields)))
            (local.set $out (i32.add (local.get $out) (i32.const 1))))
          (else
            (i32.store8 (local.get $out) (i32.const 0xde))
            (call $store_big (i32.add (local.get $out) (i32.const 1)) (local.get $fields))
            (local.set $out (i32.add (local.get $out) (i32.const 3)))))
        (local.set $wanted (local.get $all))
        (loop $more
          (local.set $bit (i64.ctz (local.get $wanted)))
          (local.set $wanted (i64.and (local.get $wanted) (i64.sub (local.get $wanted) (i64.const 1))))
          (local.set $span (i32.add (local.get $spans) (i32.shl (i32.wrap_i64 (local.get $bit)) (i32.const 2))))
          ;; The name without comma, quotes and colon.
          (local.set $name (i32.add (local.get $label) (i32.mul (i32.wrap_i64 (local.get $bit)) (i32.const 176))))
          (local.set $value (i32.add (i32.load (local.get $span)) (i32.load (local.get $name))))
          (local.set $out (call $pack_text (local.get $out) (i32.add (local.get $name) (i32.const 18)) (i32.add (local.get $name) (i32.add (i32.const 14) (i32.load (local.get $name))))))
          (local.set $stop (i32.load offset=4 (local.get $span)))
          (local.set $byte (i32.load8_u (local.get $value)))
          (if (i32.eq (local.get $byte) (i32.const 0x22))
            (then (local.set $out (call $pack_text (local.get $out) (i32.add (local.get $value) (i32.const 1)) (i32.sub (local.get $stop) (i32.const 1)))))
            (else
              (if (i32.eq (local.get $byte) (i32.const 0x5b))
                (then (local.set $out (call $pack_list (local.get $out) (i32.add (local.get $value) (i32.const 1)) (i32.sub (local.get $stop) (i32.const 1)))))
                (else (local.set $out (call $pack_word (local.get $out) (local.get $value) (local.get $stop)))))))
          (br_if $odd (i32.eqz (local.get $out)))
          (br_if $more (i64.ne (local.get $wanted) (i64.const 0))))
        (local.set $from (i32.add (local.get $end) (i32.const 2)))
        (local.set $to (local.get $out))
        (global.set $rows (i32.add (global.get $rows) (i32.const 1)))
        (local.set $most (i32.sub (local.get $most) (i32.const 1)))
        (br $next)))
    (local.get $to))

  ;; Whether a cell of a text that begins there would be a formula: 1 where it would, 0 where not. Of signs beyond ASCII some are blanks, before which one may stand, and some signs of a formula of
  ;; full width: where it may be such a one, and where there is a blank, 2.
  (func $formula (param $from i32) (result i32)
    (local $byte i32)
    (local.set $byte (i32.load8_u (local.get $from)))
    (if (i32.lt_u (local.get $byte) (i32.const 0x80))
      (then
        (if (i32.le_u (local.get $byte) (i32.const 0x20)) (then (return (i32.const 2))))
        (return (i32.or
          (i32.or (i32.eq (local.get $byte) (i32.const 0x3d)) (i32.eq (local.get $byte) (i32.const 0x40)))
          (i32.or (i32.eq (local.get $byte) (i32.const 0x2b)) (i32.eq (local.get $byte) (i32.const 0x2d)))))))
    (if (i32.eq (local.get $byte) (i32.const 0xe1)) (then (return (i32.shl (i32.eq (i32.load8_u offset=1 (local.get $from)) (i32.const 0x9a)) (i32.const 1)))))
    (if (i32.eq (local.get $byte) (i32.const 0xe3)) (then (return (i32.shl (i32.eq (i32.load8_u offset=1 (local.get $from)) (i32.const 0x80)) (i32.const 1)))))
    (i32.shl
      (i32.or (i32.eq (local.get $byte) (i32.const 0xc2)) (i32.or (i32.eq (local.get $byte) (i32.const 0xe2)) (i32.eq (local.get $byte) (i32.const 0xef))))
      (i32.const 1)))

  (func $has_comma (param $from i32) (param $end i32) (result i32)
    (local $found i32)
    (loop $more
      (local.set $found (i8x16.bitmask (i8x16.eq (v128.load align=1 (local.get $from)) (i8x16.splat (i32.const 0x2c)))))
      (if (local.get $found) (then (return (i32.lt_u (i32.add (local.get $from) (i32.ctz (local.get $found))) (local.get $end)))))
      (local.set $from (i32.add (local.get $from) (i32.const 16)))
      (br_if $more (i32.lt_u (local.get $from) (local.get $end))))
    (i32.const 0))

  ;; A text at [from, end) as a cell; 0 where it cannot be told whether it is a formula. Such a one has an apostrophe before it.
  (func $cell (param $to i32) (param $from i32) (param $end i32) (result i32)
    (local $formula i32)
    (if (i32.eq (local.get $from) (local.get $end)) (then (return (local.get $to))))
    (local.set $formula (call $formula (local.get $from)))
    (if (i32.eq (local.get $formula) (i32.const 2)) (then (return (i32.const 0))))
    (if (i32.or (local.get $formula) (call $has_comma (local.get $from) (local.get $end)))
      (then
        (i32.store16 align=1 (local.get $to) (i32.const 0x2722))
        (local.set $to (call $copy (i32.add (local.get $to) (i32.add (i32.const 1) (local.get $formula))) (local.get $from) (local.get $end)))
        (i32.store8 (local.get $to) (i32.const 0x22))
        (return (i32.add (local.get $to) (i32.const 1)))))
    (call $copy (local.get $to) (local.get $from) (local.get $end)))

  ;; The texts of a list at [from, end), within its brackets, as a cell; 0 as there.
  (func $list_cell (param $to i32) (param $from i32) (param $end i32) (result i32)
    (local $at i32) (local $first i32) (local $formula i32)
    (if (i32.eq (local.get $from) (local.get $end)) (then (return (local.get $to))))
    (if (i32.eq (i32.load8_u offset=1 (local.get $from)) (i32.const 0x22)) (then (return (i32.const 0))))
    (local.set $formula (call $formula (i32.add (local.get $from) (i32.const 1))))
    (if (i32.eq (local.get $formula) (i32.const 2)) (then (return (i32.const 0))))
    ;; Room for a quote, and an apostrophe.
    (i32.store16 align=1 (local.get $to) (i32.const 0x2722))
    (local.set $first (i32.add (local.get $to) (i32.add (i32.const 1) (local.get $formula))))
    (local.set $to (local.get $first))
    (loop $item
      (local.set $from (i32.add (local.get $from) (i32.const 1)))
      (local.set $at (local.get $from))
      (loop $letter
        (if (i32.ne (i32.load8_u (local.get $at)) (i32.const 0x22))
          (then
            (local.set $at (i32.add (local.get $at) (i32.const 1)))
            (br $letter))))
      (local.set $to (call $copy (local.get $to) (local.get $from) (local.get $at)))
      (local.set $from (i32.add (local.get $at) (i32.const 2)))
      (if (i32.lt_u (local.get $from) (local.get $end))
        (then
          (i32.store16 align=1 (local.get $to) (i32.const 0x203b))
          (local.set $to (i32.add (local.get $to) (i32.const 2)))
          (br $item))))
    (if (i32.or (local.get $formula) (call $has_comma (local.get $first) (local.get $to)))
      (then
        (i32.store8 (local.get $to) (i32.const 0x22))
        (return (i32.add (local.get $to) (i32.const 1)))))
    (memory.copy (i32.sub (local.get $first) (i32.const 1)) (local.get $first) (i32.sub (local.get $to) (local.get $first)))
    (i32.sub (local.get $to) (i32.const 1)))

  ;; As `pack`, as lines of CSV, none of which is longer than its row.
  (func (export "csv")
    (param $from i32) (param $most i32) (param $label i32) (param $label_end i32) (param $spans i32) (param $low i32) (param $high i32) (param $to i32) (param $limit i32) (result i32)
    (local $end i32) (local $out i32) (local $span i32) (local $byte i32) (local $value i32) (local $stop i32) (local $needed i32) (local $all i64) (local $wanted i64) (local $bit i64)
    (local.set $all (call $bits (local.get $low) (local.get $high)))
    (local.set $needed (call $needed (local.get $label) (local.get $all)))
    (global.set $rows (i32.const 0))
    (block $odd
      (loop $next
        (br_if $odd (i32.eqz (local.get $most)))
        (local.set $end (call $walk (local.get $from) (local.get $label) (local.get $label_end) (local.get $needed) (local.get $spans)))
        (br_if $odd (i32.eqz (local.get $end)))
        (br_if $odd (i64.ne (i64.and (global.get $escaped) (local.get $all)) (i64.const 0)))
        (br_if $odd (i32.gt_u (i32.add (local.get $to) (i32.sub (local.get $end) (local.get $from))) (local.get $limit)))
        (local.set $out (local.get $to))
        (local.set $wanted (local.get $all))
        (loop $more
          (local.set $bit (i64.ctz (local.get $wanted)))
          (local.set $wanted (i64.and (local.get $wanted) (i64.sub (local.get $wanted) (i64.const 1))))
          (local.set $span (i32.add (local.get $spans) (i32.shl (i32.wrap_i64 (local.get $bit)) (i32.const 2))))
          (local.set $value (i32.add (i32.load (local.get $span)) (i32.load (i32.add (local.get $label) (i32.mul (i32.wrap_i64 (local.get $bit)) (i32.const 176))))))
          (local.set $stop (i32.load offset=4 (local.get $span)))
          (local.set $byte (i32.load8_u (local.get $value)))
          (block $made
            (br_if $made (i32.eq (local.get $byte) (i32.const 0x6e)))
            (if (i32.eq (local.get $byte) (i32.const 0x22))
              (then
                (local.set $out (call $cell (local.get $out) (i32.add (local.get $value) (i32.const 1)) (i32.sub (local.get $stop) (i32.const 1))))
                (br $made)))
            (if (i32.eq (local.get $byte) (i32.const 0x5b))
              (then
                (local.set $out (call $list_cell (local.get $out) (i32.add (local.get $value) (i32.const 1)) (i32.sub (local.get $stop) (i32.const 1))))
                (br $made)))
            (local.set $out (call $copy (local.get $out) (local.get $value) (local.get $stop))))
          (br_if $odd (i32.eqz (local.get $out)))
          (i32.store8 (local.get $out) (i32.const 0x2c))
          (local.set $out (i32.add (local.get $out) (i32.const 1)))
          (br_if $more (i64.ne (local.get $wanted) (i64.const 0))))
        ;; In place of the last comma.
        (i32.store16 align=1 (i32.sub (local.get $out) (i32.const 1)) (i32.const 0x0a0d))
        (local.set $to (i32.add (local.get $out) (i32.const 1)))
        (local.set $from (i32.add (local.get $end) (i32.const 2)))
        (global.set $rows (i32.add (global.get $rows) (i32.const 1)))
        (local.set $most (i32.sub (local.get $most) (i32.const 1)))
        (br $next)))
    (local.get $to))

  ;; Where the value of a field stands in a row that was walked.
  (func $value (param $label i32) (param $spans i32) (param $place i32) (result i32)
    (i32.add
      (i32.load (i32.add (local.get $spans) (i32.shl (local.get $place) (i32.const 2))))
      (i32.load (i32.add (local.get $label) (i32.mul (local.get $place) (i32.const 176))))))

  ;; Of the fields `wanted` those that the row lacks: null, or not there.
  (func $lacking (param $label i32) (param $spans i32) (param $wanted i64) (result i64)
    (local $place i32) (local $span i32) (local $lacking i64) (local $left i64)
    (local.set $left (local.get $wanted))
    (block $done
      (loop $more
        (br_if $done (i64.eqz (local.get $left)))
        (local.set $place (i32.wrap_i64 (i64.ctz (local.get $left))))
        (local.set $left (i64.and (local.get $left) (i64.sub (local.get $left) (i64.const 1))))
        (local.set $span (i32.add (local.get $spans) (i32.shl (local.get $place) (i32.const 2))))
        (br_if $more (i32.and
          (i32.ne (i32.load (local.get $span)) (i32.load offset=4 (local.get $span)))
          (i32.ne (i32.load8_u (call $value (local.get $label) (local.get $spans) (local.get $place))) (i32.const 0x6e))))
        (local.set $lacking (i64.or (local.get $lacking) (i64.shl (i64.const 1) (i64.extend_i32_u (local.get $place)))))
        (br $more)))
    (local.get $lacking))

  ;; Walks the row whose place and bytes are told at `told`; whether it ends where it should.
  (func $walk_told (param $told i32) (param $label i32) (param $label_end i32) (param $spans i32) (result i32)
    (local $end i32)
    (local.set $end (call $walk (i32.load (local.get $told)) (local.get $label) (local.get $label_end) (local.get $label) (local.get $spans)))
    (i32.and
      (i32.ne (local.get $end) (i32.const 0))
      (i32.eq (i32.add (local.get $end) (i32.const 1)) (i32.add (i32.load (local.get $told)) (i32.load offset=4 (local.get $told))))))

  ;; Rows that several sources have, put together at `to`, the separator behind each, as many as end before `limit`. What each is made of is told in a table from `from` on:
  ;;
  ;;   0         4         8            12           16           20                            28
  ;;   | u32 row | u32 its | u32 text   | u32 its    | i32 donors | u32 donor | u32 its bytes   | ...
  ;;   |         |   bytes | of sources |   bytes    |            |           |                 |
  ;;
  ;; -1 donors: the row leaves as it stands. No bytes of sources: its own stay. Of each field wanted that is null the first value of a donor that is not is taken. The donors are walked as long as
  ;; a field is lacking. Behind the spans of the row are those of a donor, and behind these the values that are lent.
  (func (export "merge")
    (param $from i32) (param $most i32) (param $label i32) (param $label_end i32) (param $spans i32) (param $low i32) (param $high i32) (param $to i32) (param $limit i32) (result i32)
    (local $row i32) (local $donor i32) (local $left i32) (local $room i32) (local $place i32) (local $span i32) (local $lent_at i32)
    (local $all i64) (local $told i64) (local $missing i64) (local $lacking i64) (local $lent i64) (local $changed i64) (local $fields i64) (local $run i64)
    (local.set $all (call $bits (local.get $low) (local.get $high)))
    (global.set $rows (i32.const 0))
    (block $odd
      (loop $next
        (br_if $odd (i32.eqz (local.get $most)))
        (local.set $left (i32.load offset=16 (local.get $from)))
        (local.set $donor (i32.add (local.get $from) (i32.const 20)))
        (local.set $room (i32.add
          (i32.add (i32.load offset=4 (local.get $from)) (i32.load offset=12 (local.get $from)))
          ;; A label and a null where one is missing.
          (i32.shr_u (i32.sub (local.get $label_end) (local.get $label)) (i32.const 1))))
        (if (i32.lt_s (local.get $left) (i32.const 0))
          (then
            (br_if $odd (i32.gt_u (i32.add (local.get $to) (local.get $room)) (local.get $limit)))
            (local.set $to (call $copy (local.get $to) (i32.load (local.get $from)) (i32.add (i32.load (local.get $from)) (i32.load offset=4 (local.get $from)))))
            (local.set $from (local.get $donor)))
          (else
            (br_if $odd (i32.eqz (call $walk_told (local.get $from) (local.get $label) (local.get $label_end) (local.get $spans))))
            (local.set $told (i64.const 0))
            (if (i32.load offset=12 (local.get $from))
              (then (local.set $told (i64.and (local.get $all) (i64.shl (i64.const 1) (i64.extend_i32_u (global.get $sources)))))))
            (local.set $lacking (call $lacking (local.get $label) (local.get $spans) (i64.and (local.get $all) (i64.xor (local.get $told) (i64.const -1)))))
            ;; Fields behind the last that the row has.
            (local.set $missing (i64.const 0))
            (local.set $fields (local.get $lacking))
            (block $done
              (loop $more
                (br_if $done (i64.eqz (local.get $fields)))
                (local.set $place (i32.wrap_i64 (i64.ctz (local.get $fields))))
                (local.set $fields (i64.and (local.get $fields) (i64.sub (local.get $fields) (i64.const 1))))
                (local.set $span (i32.add (local.get $spans) (i32.shl (local.get $place) (i32.const 2))))
                (br_if $more (i32.ne (i32.load (local.get $span)) (i32.load offset=4 (local.get $span))))
                (local.set $missing (i64.or (local.get $missing) (i64.shl (i64.const 1) (i64.extend_i32_u (local.get $place)))))
                (br $more)))
            (local.set $lent (i64.const 0))
            (block $done
              (loop $donors
                (br_if $done (i32.or (i32.eqz (local.get $left)) (i64.eqz (local.get $lacking))))
                (br_if $odd (i32.eqz (call $walk_told (local.get $donor) (local.get $label) (local.get $label_end) (i32.add (local.get $spans) (i32.const 256)))))
                (local.set $fields (call $lacking (local.get $label) (i32.add (local.get $spans) (i32.const 256)) (local.get $lacking)))
                (local.set $fields (i64.xor (local.get $fields) (local.get $lacking)))
                (local.set $lacking (i64.xor (local.get $fields) (local.get $lacking)))
                (local.set $lent (i64.or (local.get $fields) (local.get $lent)))
                (local.set $room (i32.add (local.get $room) (i32.load offset=4 (local.get $donor))))
                (block $given
                  (loop $more
                    (br_if $given (i64.eqz (local.get $fields)))
                    (local.set $place (i32.wrap_i64 (i64.ctz (local.get $fields))))
                    (local.set $fields (i64.and (local.get $fields) (i64.sub (local.get $fields) (i64.const 1))))
                    (local.set $lent_at (i32.add (i32.add (local.get $spans) (i32.const 512)) (i32.shl (local.get $place) (i32.const 3))))
                    (i32.store (local.get $lent_at) (call $value (local.get $label) (i32.add (local.get $spans) (i32.const 256)) (local.get $place)))
                    (i32.store offset=4 (local.get $lent_at)
                      (i32.load (i32.add (local.get $spans) (i32.add (i32.const 260) (i32.shl (local.get $place) (i32.const 2))))))
                    (br $more)))
                (local.set $donor (i32.add (local.get $donor) (i32.const 8)))
                (local.set $left (i32.sub (local.get $left) (i32.const 1)))
                (br $donors)))
            (br_if $odd (i32.gt_u (i32.add (local.get $to) (local.get $room)) (local.get $limit)))
            (local.set $changed (i64.or (local.get $told) (i64.or (local.get $missing) (local.get $lent))))
            (local.set $row (local.get $to))
            (local.set $fields (local.get $all))
            (loop $more
              (local.set $place (i32.wrap_i64 (i64.ctz (local.get $fields))))
              (local.set $span (i32.add (local.get $spans) (i32.shl (local.get $place) (i32.const 2))))
              (local.set $run (i64.shr_u (i64.and (local.get $fields) (i64.xor (local.get $changed) (i64.const -1))) (i64.extend_i32_u (local.get $place))))
              (if (i64.eqz (i64.and (local.get $run) (i64.const 1)))
                (then
                  ;; The label, and what is new behind it.
                  (local.set $run (i64.shl (i64.const 1) (i64.extend_i32_u (local.get $place))))
                  (local.set $left (i32.add (local.get $label) (i32.mul (local.get $place) (i32.const 176))))
                  (local.set $to (call $copy (local.get $to)
                    (i32.add (local.get $left) (i32.const 16))
                    (i32.add (i32.add (local.get $left) (i32.const 16)) (i32.load (local.get $left)))))
                  (if (i64.ne (i64.and (local.get $run) (local.get $told)) (i64.const 0))
                    (then
                      (local.set $to (call $copy (local.get $to)
                        (i32.load offset=8 (local.get $from))
                        (i32.add (i32.load offset=8 (local.get $from)) (i32.load offset=12 (local.get $from))))))
                    (else
                      (if (i64.ne (i64.and (local.get $run) (local.get $lent)) (i64.const 0))
                        (then
                          (local.set $lent_at (i32.add (i32.add (local.get $spans) (i32.const 512)) (i32.shl (local.get $place) (i32.const 3))))
                          (local.set $to (call $copy (local.get $to) (i32.load (local.get $lent_at)) (i32.load offset=4 (local.get $lent_at)))))
                        (else
                          (i32.store align=1 (local.get $to) (i32.const 0x6c6c756e))
                          (local.set $to (i32.add (local.get $to) (i32.const 4)))))))
                  (local.set $fields (i64.xor (local.get $fields) (local.get $run))))
                (else
                  ;; Fields that lie side by side and stay are copied in one go.
                  (local.set $run (i64.ctz (i64.xor (local.get $run) (i64.const -1))))
                  (local.set $to (call $copy (local.get $to)
                    (i32.load (local.get $span))
                    (i32.load (i32.add (local.get $span) (i32.shl (i32.wrap_i64 (local.get $run)) (i32.const 2))))))
                  (local.set $run (i64.shl
                    (i64.sub (i64.shl (i64.const 1) (local.get $run)) (i64.const 1))
                    (i64.extend_i32_u (local.get $place))))
                  (local.set $fields (i64.xor (local.get $fields) (local.get $run)))))
              (br_if $more (i64.ne (local.get $fields) (i64.const 0))))
            (i32.store8 (local.get $row) (i32.const 0x7b))
            (i32.store8 (local.get $to) (i32.const 0x7d))
            (local.set $to (i32.add (local.get $to) (i32.const 1)))
            (local.set $from (i32.add (local.get $from) (i32.add (i32.const 20) (i32.shl (i32.load offset=16 (local.get $from)) (i32.const 3)))))))
        (i32.store8 (local.get $to) (global.get $separator))
        (local.set $to (i32.add (local.get $to) (i32.const 1)))
        (global.set $rows (i32.add (global.get $rows) (i32.const 1)))
        (local.set $most (i32.sub (local.get $most) (i32.const 1)))
        (br $next)))
    (local.get $to)))

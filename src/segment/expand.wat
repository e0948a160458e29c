;; The text of compact rows: see row_form.ts for how they stand, expander.ts for who calls. The bytes of it as a module are in expand_module.ts; a test
;; holds both together.
;;
;; Every text is copied as 32 bytes, without a look at how long it is: a branch that the processor cannot foresee costs as much as four such copies. What is written behind the
;; end of a row is the caller's to spare (`textSpareBytes`), and is written over by the next row. Places and lengths of a damaged row lead to a trap, never
;; beyond the spare bytes.
(module
  (import "rows" "memory" (memory 1))
  ;; Where the rows begin that were not written, and how many were.
  (global $read (export "read") (mut i32) (i32.const 0))
  (global $rows (export "rows") (mut i32) (i32.const 0))

  ;; Rows at [from, end) to the place `to`, up to the one that is not all there, or whose text would end behind `limit`. `stencils`: where the table lies. `separator`: the byte in place of
  ;; each newline. Gives where the text ends.
  (func (export "expand")
    (param $from i32) (param $end i32) (param $to i32) (param $limit i32) (param $stencils i32) (param $separator i32) (result i32)
    (local $value i32) (local $piece i32) (local $pieces i32) (local $text i32) (local $stop i32) (local $bytes i32) (local $at i32) (local $done i32) (local $control i32) (local $code i32)
    (block $full
      (loop $row
        (br_if $full (i32.ge_u (local.get $from) (local.get $end)))
        (br_if $full (i32.lt_u (i32.sub (local.get $end) (local.get $from)) (i32.const 12)))
        (local.set $text (i32.load align=1 (local.get $from)))
        (br_if $full (i32.gt_u (local.get $text) (i32.sub (local.get $limit) (local.get $to))))
        (local.set $text (i32.add (local.get $to) (local.get $text)))
        (local.set $value (i32.add (local.get $from) (i32.const 12)))
        (local.set $bytes (i32.load offset=4 align=1 (local.get $from)))
        (br_if $full (i32.gt_u (local.get $bytes) (i32.sub (local.get $end) (local.get $value))))
        (local.set $piece (i32.add (local.get $value) (local.get $bytes)))
        (local.set $bytes (i32.load offset=8 align=1 (local.get $from)))
        (br_if $full (i32.gt_u (local.get $bytes) (i32.shr_u (i32.sub (local.get $end) (local.get $piece)) (i32.const 1))))
        (local.set $stop (i32.add (local.get $piece) (i32.shl (local.get $bytes) (i32.const 1))))
        (local.set $pieces (local.get $piece))
        (block $spelled
          (loop $next
            (br_if $spelled (i32.eq (local.get $piece) (local.get $stop)))
            (local.set $control (i32.load16_u align=1 (local.get $piece)))
            ;; The stencil.
            (local.set $code (i32.and (local.get $control) (i32.const 255)))
            (local.set $at (i32.add (local.get $stencils) (i32.shl (local.get $code) (i32.const 5))))
            (v128.store align=1 (local.get $to) (v128.load offset=256 align=1 (local.get $at)))
            (v128.store offset=16 align=1 (local.get $to) (v128.load offset=272 align=1 (local.get $at)))
            (local.set $to (i32.add (local.get $to) (i32.load8_u (i32.add (local.get $stencils) (local.get $code)))))
            ;; The value.
            (v128.store align=1 (local.get $to) (v128.load align=1 (local.get $value)))
            (v128.store offset=16 align=1 (local.get $to) (v128.load offset=16 align=1 (local.get $value)))
            (local.set $bytes (i32.shr_u (local.get $control) (i32.const 8)))
            (if (i32.gt_u (local.get $bytes) (i32.const 32)) (then (unreachable)))
            (local.set $to (i32.add (local.get $to) (local.get $bytes)))
            (local.set $value (i32.add (local.get $value) (local.get $bytes)))
            (if (i32.gt_u (local.get $to) (local.get $text)) (then (unreachable)))
            (local.set $piece (i32.add (local.get $piece) (i32.const 2)))
            (br $next)))
        (if (i32.ne (local.get $to) (local.get $text)) (then (unreachable)))
        (if (i32.ne (local.get $value) (local.get $pieces)) (then (unreachable)))
        (if (i32.eqz (i32.load align=1 (local.get $from))) (then (unreachable)))
        (i32.store8 (i32.sub (local.get $to) (i32.const 1)) (local.get $separator))
        (local.set $from (local.get $stop))
        (local.set $done (i32.add (local.get $done) (i32.const 1)))
        (br $row)))
    (global.set $read (local.get $from))
    (global.set $rows (local.get $done))
    (local.get $to)))

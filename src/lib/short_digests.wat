;; The first words of the SHA-256 of short texts, four texts at a time: see short_digests.ts, who calls. The bytes of it as a module are in
;; short_digests_module.ts; a test holds both together.
;;
;;   0      the constants of the 64 rounds, and the eight words that a digest begins with
;;   288    the schedule: 64 words of each of the four
;;   1312   the states of the four before the block
;;   1440   the texts, padded as the standard has it
(module
  (memory (export "memory") 1)
  (data (i32.const 0)
    "\98\2f\8a\42\91\44\37\71\cf\fb\c0\b5\a5\db\b5\e9\5b\c2\56\39\f1\11\f1\59\a4\82\3f\92\d5\5e\1c\ab"
    "\98\aa\07\d8\01\5b\83\12\be\85\31\24\c3\7d\0c\55\74\5d\be\72\fe\b1\de\80\a7\06\dc\9b\74\f1\9b\c1"
    "\c1\69\9b\e4\86\47\be\ef\c6\9d\c1\0f\cc\a1\0c\24\6f\2c\e9\2d\aa\84\74\4a\dc\a9\b0\5c\da\88\f9\76"
    "\52\51\3e\98\6d\c6\31\a8\c8\27\03\b0\c7\7f\59\bf\f3\0b\e0\c6\47\91\a7\d5\51\63\ca\06\67\29\29\14"
    "\85\0a\b7\27\38\21\1b\2e\fc\6d\2c\4d\13\0d\38\53\54\73\0a\65\bb\0a\6a\76\2e\c9\c2\81\85\2c\72\92"
    "\a1\e8\bf\a2\4b\66\1a\a8\70\8b\4b\c2\a3\51\6c\c7\19\e8\92\d1\24\06\99\d6\85\35\0e\f4\70\a0\6a\10"
    "\16\c1\a4\19\08\6c\37\1e\4c\77\48\27\b5\bc\b0\34\b3\0c\1c\39\4a\aa\d8\4e\4f\ca\9c\5b\f3\6f\2e\68"
    "\ee\82\8f\74\6f\63\a5\78\14\78\c8\84\08\02\c7\8c\fa\ff\be\90\eb\6c\50\a4\f7\a3\f9\be\f2\78\71\c6"
    "\67\e6\09\6a\85\ae\67\bb\72\f3\6e\3c\3a\f5\4f\a5\7f\52\0e\51\8c\68\05\9b\ab\d9\83\1f\19\cd\e0\5b")

  ;; Of a multiple of four texts, of so many blocks each, one behind the other. The first word of each digest comes to where its text began.
  (func (export "digest") (param $texts i32) (param $blocks i32)
    (local $at i32) (local $end i32) (local $bytes i32) (local $block i32) (local $word i32) (local $sum v128) (local $more v128)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128) (local $e v128) (local $f v128) (local $g v128) (local $h v128)
    (local.set $bytes (i32.shl (local.get $blocks) (i32.const 6)))
    (local.set $at (i32.const 1440))
    (local.set $end (i32.add (local.get $at) (i32.mul (local.get $texts) (local.get $bytes))))
    (loop $four
      (v128.store (i32.const 1312) (v128.load32_splat (i32.const 256)))
      (v128.store (i32.const 1328) (v128.load32_splat (i32.const 260)))
      (v128.store (i32.const 1344) (v128.load32_splat (i32.const 264)))
      (v128.store (i32.const 1360) (v128.load32_splat (i32.const 268)))
      (v128.store (i32.const 1376) (v128.load32_splat (i32.const 272)))
      (v128.store (i32.const 1392) (v128.load32_splat (i32.const 276)))
      (v128.store (i32.const 1408) (v128.load32_splat (i32.const 280)))
      (v128.store (i32.const 1424) (v128.load32_splat (i32.const 284)))
      (local.set $block (local.get $at))
      (loop $next
        ;; The words that are given: the same of each text side by side, the high byte of each first in the text.
        (local.set $word (i32.const 0))
        (loop $given
          (v128.store offset=288 (i32.shl (local.get $word) (i32.const 2)) (i8x16.swizzle
            (v128.load32_lane align=1 3 (i32.add (i32.add (local.get $block) (i32.mul (local.get $bytes) (i32.const 3))) (local.get $word))
              (v128.load32_lane align=1 2 (i32.add (i32.add (local.get $block) (i32.shl (local.get $bytes) (i32.const 1))) (local.get $word))
                (v128.load32_lane align=1 1 (i32.add (i32.add (local.get $block) (local.get $bytes)) (local.get $word))
                  (v128.load32_zero align=1 (i32.add (local.get $block) (local.get $word))))))
            (v128.const i8x16 3 2 1 0 7 6 5 4 11 10 9 8 15 14 13 12)))
          (local.set $word (i32.add (local.get $word) (i32.const 4)))
          (br_if $given (i32.lt_u (local.get $word) (i32.const 64))))
        ;; The words that are made of those before.
        (local.set $word (i32.const 0))
        (loop $made
          (local.set $a (v128.load offset=304 (local.get $word)))
          (local.set $b (v128.load offset=512 (local.get $word)))
          (v128.store offset=544 (local.get $word) (i32x4.add (i32x4.add (i32x4.add (v128.load offset=288 (local.get $word)) (v128.load offset=432 (local.get $word)))
            (v128.xor (v128.xor (v128.or (i32x4.shr_u (local.get $a) (i32.const 7)) (i32x4.shl (local.get $a) (i32.const 25))) (v128.or (i32x4.shr_u (local.get $a) (i32.const 18)) (i32x4.shl (local.get $a) (i32.const 14)))) (i32x4.shr_u (local.get $a) (i32.const 3))))
            (v128.xor (v128.xor (v128.or (i32x4.shr_u (local.get $b) (i32.const 17)) (i32x4.shl (local.get $b) (i32.const 15))) (v128.or (i32x4.shr_u (local.get $b) (i32.const 19)) (i32x4.shl (local.get $b) (i32.const 13)))) (i32x4.shr_u (local.get $b) (i32.const 10)))))
          (local.set $word (i32.add (local.get $word) (i32.const 16)))
          (br_if $made (i32.lt_u (local.get $word) (i32.const 768))))
        (local.set $a (v128.load (i32.const 1312)))
        (local.set $b (v128.load (i32.const 1328)))
        (local.set $c (v128.load (i32.const 1344)))
        (local.set $d (v128.load (i32.const 1360)))
        (local.set $e (v128.load (i32.const 1376)))
        (local.set $f (v128.load (i32.const 1392)))
        (local.set $g (v128.load (i32.const 1408)))
        (local.set $h (v128.load (i32.const 1424)))
        (local.set $word (i32.const 0))
        (loop $round
          (local.set $sum (i32x4.add (i32x4.add (i32x4.add (i32x4.add (local.get $h) (v128.load offset=288 (i32.shl (local.get $word) (i32.const 2)))) (v128.load32_splat (local.get $word)))
            (v128.xor (v128.xor (v128.or (i32x4.shr_u (local.get $e) (i32.const 6)) (i32x4.shl (local.get $e) (i32.const 26))) (v128.or (i32x4.shr_u (local.get $e) (i32.const 11)) (i32x4.shl (local.get $e) (i32.const 21)))) (v128.or (i32x4.shr_u (local.get $e) (i32.const 25)) (i32x4.shl (local.get $e) (i32.const 7)))))
            (v128.bitselect (local.get $f) (local.get $g) (local.get $e))))
          (local.set $more (i32x4.add (v128.bitselect (local.get $c) (local.get $b) (v128.xor (local.get $a) (local.get $b)))
            (v128.xor (v128.xor (v128.or (i32x4.shr_u (local.get $a) (i32.const 2)) (i32x4.shl (local.get $a) (i32.const 30))) (v128.or (i32x4.shr_u (local.get $a) (i32.const 13)) (i32x4.shl (local.get $a) (i32.const 19)))) (v128.or (i32x4.shr_u (local.get $a) (i32.const 22)) (i32x4.shl (local.get $a) (i32.const 10))))))
          (local.set $h (local.get $g))
          (local.set $g (local.get $f))
          (local.set $f (local.get $e))
          (local.set $e (i32x4.add (local.get $d) (local.get $sum)))
          (local.set $d (local.get $c))
          (local.set $c (local.get $b))
          (local.set $b (local.get $a))
          (local.set $a (i32x4.add (local.get $sum) (local.get $more)))
          (local.set $word (i32.add (local.get $word) (i32.const 4)))
          (br_if $round (i32.lt_u (local.get $word) (i32.const 256))))
        (v128.store (i32.const 1312) (i32x4.add (local.get $a) (v128.load (i32.const 1312))))
        (v128.store (i32.const 1328) (i32x4.add (local.get $b) (v128.load (i32.const 1328))))
        (v128.store (i32.const 1344) (i32x4.add (local.get $c) (v128.load (i32.const 1344))))
        (v128.store (i32.const 1360) (i32x4.add (local.get $d) (v128.load (i32.const 1360))))
        (v128.store (i32.const 1376) (i32x4.add (local.get $e) (v128.load (i32.const 1376))))
        (v128.store (i32.const 1392) (i32x4.add (local.get $f) (v128.load (i32.const 1392))))
        (v128.store (i32.const 1408) (i32x4.add (local.get $g) (v128.load (i32.const 1408))))
        (v128.store (i32.const 1424) (i32x4.add (local.get $h) (v128.load (i32.const 1424))))
        (local.set $block (i32.add (local.get $block) (i32.const 64)))
        (br_if $next (i32.lt_u (local.get $block) (i32.add (local.get $at) (local.get $bytes)))))
      (local.set $a (v128.load (i32.const 1312)))
      (v128.store32_lane 0 (local.get $at) (local.get $a))
      (v128.store32_lane 1 (i32.add (local.get $at) (local.get $bytes)) (local.get $a))
      (v128.store32_lane 2 (i32.add (local.get $at) (i32.shl (local.get $bytes) (i32.const 1))) (local.get $a))
      (v128.store32_lane 3 (i32.add (local.get $at) (i32.mul (local.get $bytes) (i32.const 3))) (local.get $a))
      (local.set $at (i32.add (local.get $at) (i32.shl (local.get $bytes) (i32.const 2))))
      (br_if $four (i32.lt_u (local.get $at) (local.get $end))))))

target sm_80
kernel k(
role all { x = (1 + [2
 y = $ } }
for i in {
program
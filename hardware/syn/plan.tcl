# A layout with OpenROAD, second part: puts diodes into placed.odb at the inputs that antennas.txt names, plans the wires, and looks for antennas
# among them. layout.tcl says what the variables are.
#
# OpenROAD's repair_antennas put 19,100 diodes into rc4_still_2, an eighth of its area and a sixth of its pins, and 113 at one net. 1,284 of its
# inputs were antennas of planned wires.

source $flow/layout.tcl

read_db placed.odb
allow_layers $layers $clock_layers $reserve
put_diodes $diode $pad
global_route -congestion_iterations 100
count_sides $planned_factor
say_antennas planned_antennas
count_sides 1
write_db placed.odb

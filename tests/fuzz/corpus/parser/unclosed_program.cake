target sm_80
program p() {
role x { }

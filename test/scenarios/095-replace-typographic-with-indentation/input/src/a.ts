    say(“hi”);
    done();

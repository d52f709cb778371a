    say("ho");
    done();
